package export

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// Mark is a size with the root of the tree from a signed checkpoint.
type Mark struct {
	Size int64
	Root tlog.Hash
	Fits bool // whether the lines up to Size have that root; set by [Check]
}

// Tally counts the lines of an export by their content.
type Tally struct {
	From         int64 // the number of the first line
	Lines, Shown int64 // all, and those that show more than a hash
	Access       int64 // shown lines of the access record
	Tenant       string
	Tenants      int // 0, 1 or 2; 2 means several
	FirstIdx     int64
	LastIdx      int64

	// Lines with a part that is left out, or added.
	NoData, NoMetadata, NoReason, NoAct, NoSealed, Opened int64
}

// The errors of an export, independent of any signature.
var (
	errLine  = fault.New(fault.Refused, "no-line-of-an-export", "This is no line of an export that can be proved.")
	errGap   = fault.New(fault.Refused, "lines-missing", "Lines are missing, or stand twice, or in another order.")
	errOrder = fault.New(fault.Refused, "idx-out-of-order", "The idx of the lines does not rise.")
	errMixed = fault.New(fault.Refused, "several-practices", "The lines belong to several practices.")
	errRead  = errors.New("read the export")
)

// maxLine limits a line, and so the memory of a check. It is several times the largest
// event that the service stores.
const maxLine = 64 << 20

// Check reads an export to its end, and finds out for each mark whether the lines up to
// its size have its root. The export extends a tree: the empty one, if it begins with
// number 0. Check returns an error for an invalid export; the counts up to there are
// correct.
func Check(r io.Reader, from proof.Edge, marks []Mark, progress func(lines int64)) (t Tally, err error) {
	return check(r, from, marks, progress, nil)
}

// check is [Check], and passes each line to see, which may refuse it. See may be nil.
func check(r io.Reader, from proof.Edge, marks []Mark, progress func(lines int64), see func(Line) error) (t Tally, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<20), maxLine)
	lines.Split(wholeLines)
	var parser Parser
	t.From = from.Size
	edge, due := from, bySize(marks, from.Size)
	for due = compare(due, edge); lines.Scan(); due = compare(due, edge) {
		line, ok := parser.Parse(lines.Bytes())
		if !ok {
			return t, errLine.With("Line %d is no line of an export that can be proved, or was changed so that it is none.", t.Lines+1)
		}
		if err := t.add(line); err != nil {
			return t, err
		}
		if see != nil {
			if err := see(line); err != nil {
				return t, err
			}
		}
		edge.Append(line.Hash)
		if progress != nil && t.Lines%progressEvery == 0 {
			progress(t.Lines)
		}
	}
	return t, ended(lines.Err(), t.Lines)
}

// ended returns the error of an export that ended early, if it did.
func ended(err error, lines int64) error {
	switch {
	case errors.Is(err, bufio.ErrTooLong), errors.Is(err, io.ErrUnexpectedEOF):
		return errLine.With("Line %d does not end: the file was cut off.", lines+1)
	case err != nil:
		return errors.Join(errRead, err)
	}
	return nil
}

const progressEvery = 10_000

// wholeLines splits at each newline. The rest after the last one is not a line.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	end := bytes.IndexByte(data, '\n')
	switch {
	case end >= 0:
		return end + 1, data[:end], nil
	case atEOF && len(data) > 0:
		return 0, nil, io.ErrUnexpectedEOF
	}
	return 0, nil, nil
}

// bySize returns the marks that can be compared, the smallest first.
func bySize(marks []Mark, from int64) (due []*Mark) {
	for n := range marks {
		marks[n].Fits = false
		if marks[n].Size >= from {
			due = append(due, &marks[n])
		}
	}
	slices.SortFunc(due, func(a, b *Mark) int { return cmp.Compare(a.Size, b.Size) })
	return due
}

// compare compares the tree with the marks of its size, and returns those of larger ones.
func compare(due []*Mark, edge proof.Edge) []*Mark {
	for len(due) > 0 && due[0].Size == edge.Size {
		due[0].Fits = edge.Root() == due[0].Root
		due = due[1:]
	}
	return due
}

// Tally returns the tally of this one line.
func (l Line) Tally() Tally {
	t := Tally{From: l.N}
	_ = t.add(l) // it is the first, so it is in order
	return t
}

// add counts a line, which must be the next one.
func (t *Tally) add(l Line) error {
	if expected := t.From + t.Lines; l.N != expected {
		return errGap.With("Line %d has the number %d, and %d was expected: lines are missing, or stand twice, or in another order.", t.Lines+1, l.N, expected)
	}
	t.Lines++
	if l.Event == nil && l.Access == nil {
		return nil
	}
	if l.Idx() <= t.LastIdx {
		return errOrder.With("Number %d has the idx %d, and a line before it has %d: the idx of the lines has to rise.", l.N, l.Idx(), t.LastIdx)
	}
	t.Shown++
	t.LastIdx, t.FirstIdx = l.Idx(), cmp.Or(t.FirstIdx, l.Idx())
	if l.Access != nil {
		t.addAccess(l.Access)
		return nil
	}
	t.addEvent(l.Event)
	if t.Tenants > 1 {
		return errMixed.With("Number %d belongs to %s, and a line before it to %s: the log of a practice holds no events of others.", l.N, named(l.Event.Leaf.Tenant), named(t.Tenant))
	}
	return nil
}

func named(tenant string) string {
	if tenant == "" {
		return "no practice"
	}
	return "practice " + tenant
}

func (t *Tally) addEvent(e *EventLine) {
	t.addTenant(e.Leaf.Tenant)
	count(&t.NoData, e.Data == nil)
	count(&t.NoMetadata, e.Metadata == nil)
	count(&t.NoSealed, e.Sealed == nil && e.Leaf.Sealed != nil)
	count(&t.Opened, e.Opened != nil)
}

func (t *Tally) addAccess(a *AccessLine) {
	t.Access++
	t.addTenant(a.Leaf.Tenant)
	count(&t.NoReason, a.Reason == nil)
	count(&t.NoAct, a.Act == nil && a.Leaf.Act != nil)
	count(&t.NoSealed, a.Sealed == nil && a.Leaf.Sealed != nil)
}

func (t *Tally) addTenant(tenant string) {
	switch {
	case t.Tenants == 0:
		t.Tenant, t.Tenants = tenant, 1
	case t.Tenant != tenant:
		t.Tenants = 2
	}
}

func count(n *int64, is bool) {
	if is {
		*n++
	}
}
