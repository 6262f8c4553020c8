package export

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// Piece is the part of a tree in an archive of the access record. The archive has
// pieces of several trees, one behind the other; each is an export that extends a tree.
type Piece struct {
	Tenant string    `json:"tenant"`         // of the tree; "" for global calls
	From   int64     `json:"from"`           // the number of its first line
	Edge   []byte    `json:"edge"`           // of the tree in front of that line: [proof.Edge.Bytes]
	Size   int64     `json:"size"`           // of the tree behind its last line
	Root   tlog.Hash `json:"root"`           // of that tree
	Note   string    `json:"note,omitempty"` // the signed checkpoint of that tree; "" if it was not signed
}

// The errors of an archive.
var (
	errPiece    = fault.New(fault.Refused, "no-piece", "The manifest does not say which part of a tree the archive has.")
	errUnsigned = fault.New(fault.Refused, "archive-not-signed", "A part of the archive was never signed.")
	errGoesOn   = fault.New(fault.Refused, "archive-goes-on", "The archive has lines that its manifest does not name.")
)

// VerifyPieces reads the lines of an archive to their end. It returns an error unless
// each piece is, to the last line, covered by its checkpoint and by kept ones of its
// log. Open returns the checkpoint of a note if it is trusted. See is called with each line,
// and with the checkpoint of its piece, and may refuse the line; nil sees none.
func VerifyPieces(r io.Reader, pieces []Piece, kept []proof.Checkpoint, open func(note []byte) (proof.Checkpoint, error), see func(proof.Checkpoint, Line) error) (tallies []Tally, err error) {
	lines := bufio.NewReaderSize(r, 1<<20)
	for _, p := range pieces {
		t, err := p.verify(lines, kept, open, see)
		if err != nil {
			return tallies, p.refused(err)
		}
		tallies = append(tallies, t)
	}
	if _, err := lines.ReadByte(); !errors.Is(err, io.EOF) {
		return tallies, errors.Join(errGoesOn, err)
	}
	return tallies, nil
}

func (p Piece) verify(lines *bufio.Reader, kept []proof.Checkpoint, open func([]byte) (proof.Checkpoint, error), see func(proof.Checkpoint, Line) error) (Tally, error) {
	edge, err := proof.ParseEdge(p.From, p.Edge)
	if err != nil {
		return Tally{}, errPiece
	}
	if p.Note == "" {
		return Tally{}, errUnsigned
	}
	signed, err := open([]byte(p.Note))
	if err != nil {
		return Tally{}, err
	}
	each := func(l Line) error { return see(signed, l) }
	if see == nil {
		each = nil
	}
	t, err := verify(&firstLines{lines, p.Size - p.From}, edge, signed, p.known(kept, signed), nil, each)
	if err != nil {
		return t, err
	}
	if p.Tenant != "" && t.Shown > 0 && (t.Tenants != 1 || t.Tenant != p.Tenant) {
		return t, errMixed
	}
	return t, nil
}

// known returns the kept checkpoints that a piece can be compared with.
func (p Piece) known(kept []proof.Checkpoint, signed proof.Checkpoint) (known []proof.Checkpoint) {
	for _, k := range kept {
		if k.Origin.Log == signed.Origin.Log && k.Size <= p.Size {
			known = append(known, k)
		}
	}
	return known
}

// Whole reports whether a line of the access record is shown with all of its parts.
func (l AccessLine) Whole() bool {
	return l.Reason != nil && (l.Act != nil || l.Leaf.Act == nil) && (l.Sealed != nil || l.Leaf.Sealed == nil)
}

// refused adds the piece to an error.
func (p Piece) refused(err error) error {
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return refused.With("Lines of %s: %s", named(p.Tenant), refused.Detail)
	}
	return err
}

// firstLines reads a number of lines, and ends.
type firstLines struct {
	from *bufio.Reader
	left int64
}

// Read reads the rest of the lines.
func (f *firstLines) Read(b []byte) (n int, err error) {
	if f.left <= 0 {
		return 0, io.EOF
	}
	if _, err := f.from.Peek(1); err != nil {
		return 0, err
	}
	buffered, _ := f.from.Peek(min(len(b), f.from.Buffered()))
	for n < len(buffered) && f.left > 0 {
		end := bytes.IndexByte(buffered[n:], '\n')
		if end < 0 {
			n = len(buffered)
			break
		}
		n += end + 1
		f.left--
	}
	return f.from.Read(b[:n])
}
