package export_test

import (
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

func sum(text string) [32]byte { return sha256.Sum256([]byte(text)) }

// history is an export of some events, of which the third is only a hash, and a mark at
// each size.
func history(t *testing.T) (lines []string, marks []export.Mark) {
	t.Helper()
	var edge proof.Edge
	for n := range int64(7) {
		marks = append(marks, export.Mark{Size: n, Root: edge.Root()})
		e := export.EventOf(n, stored(10+2*n))
		edge.Append(e.Hash())
		line := lineOf(t, e)
		if n == 2 {
			line = lineOf(t, export.HashLine{N: n, Leaf: e.Hash()})
		}
		lines = append(lines, line)
	}
	return lines, append(marks, export.Mark{Size: 7, Root: edge.Root()})
}

func fits(marks []export.Mark) (which []int64) {
	for _, m := range marks {
		if m.Fits {
			which = append(which, m.Size)
		}
	}
	return which
}

func TestAnExportFitsEveryCheckpointOfItsLog(t *testing.T) {
	t.Parallel()
	lines, marks := history(t)
	slices.Reverse(marks)
	tally, err := export.Check(strings.NewReader(strings.Join(lines, "")), proof.Edge{}, marks, nil)
	if err != nil || len(fits(marks)) != len(marks) {
		t.Errorf("it fits %v, %v", fits(marks), err)
	}
	want := export.Tally{Lines: 7, Shown: 6, Tenant: "north", Tenants: 1, FirstIdx: 10, LastIdx: 22}
	if tally != want {
		t.Errorf("counted %+v, want %+v", tally, want)
	}
}

// A change is detected by the checkpoints that cover it, and not by earlier ones.
func TestAChangeShowsFromItsNumberOn(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func([]string){
		"data":        func(l []string) { l[4] = strings.Replace(l[4], "note", "nope", 1) },
		"time":        func(l []string) { l[4] = strings.Replace(l[4], ".120000Z", ".120001Z", 1) },
		"no box":      func(l []string) { l[4] = strings.Replace(l[4], `,"sealed":"AQID"`, "", 1) },
		"idx":         func(l []string) { l[4] = strings.Replace(l[4], `"idx":18`, `"idx":19`, 1) },
		"other event": func(l []string) { l[4] = strings.Replace(l[4], "000002", "000009", 1) },
	} {
		lines, marks := history(t)
		change(lines)
		_, err := export.Check(strings.NewReader(strings.Join(lines, "")), proof.Edge{}, marks, nil)
		if got := fits(marks); err != nil || !slices.Equal(got, []int64{0, 1, 2, 3, 4}) {
			t.Errorf("%s: it fits %v, %v", name, got, err)
		}
	}
}

func TestAnExportThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func([]string) []string
		want   string
	}{
		"a line is gone":         {func(l []string) []string { return slices.Delete(l, 3, 4) }, "Line 4 has the number 4, and 3 was expected"},
		"a line is twice":        {func(l []string) []string { return slices.Insert(l, 3, l[3]) }, "Line 5 has the number 3, and 4"},
		"the first line is gone": {func(l []string) []string { return l[1:] }, "Line 1 has the number 1, and 0"},
		"the idx falls":          {func(l []string) []string { l[4] = strings.Replace(l[4], `"idx":18`, `"idx":16`, 1); return l }, "Number 4 has the idx 16"},
		"another practice":       {func(l []string) []string { l[4] = strings.Replace(l[4], "north", "south", 1); return l }, "Number 4 belongs to practice south"},
		"something else":         {func(l []string) []string { l[4] = "{}\n"; return l }, "Line 5 is no line"},
		"the end is cut off":     {func(l []string) []string { l[6] = l[6][:40]; return l }, "Line 7 does not end"},
		"no end of line":         {func(l []string) []string { l[6] = strings.TrimSpace(l[6]); return l }, "Line 7 does not end"},
	} {
		lines, marks := history(t)
		_, err := export.Check(strings.NewReader(strings.Join(c.change(lines), "")), proof.Edge{}, marks, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	broken := errors.New("the disk is broken")
	if _, err := export.Check(io.MultiReader(strings.NewReader("{"), iotest.ErrReader(broken)), proof.Edge{}, nil, nil); !errors.Is(err, broken) {
		t.Errorf("a disk that is broken: %v", err)
	}
}

func TestTallyCountsOmissions(t *testing.T) {
	t.Parallel()
	whole, call := export.EventOf(0, stored(1)), called(1)
	opened := export.EventOf(2, stored(3))
	opened.Opened = []byte("{}")
	unspoken := called(3) // a complete call without an act claim
	unspoken.Act, unspoken.Leaf.Act = nil, nil
	text := lineOf(t, export.EventLine{N: 0, Leaf: whole.Leaf}) + lineOf(t, export.AccessLine{N: 1, Leaf: call.Leaf}) + lineOf(t, opened) +
		lineOf(t, unspoken)
	tally, err := export.Check(strings.NewReader(text), proof.Edge{}, nil, nil)
	want := export.Tally{
		Lines: 4, Shown: 4, Access: 2, Tenant: "north", Tenants: 1, FirstIdx: 1, LastIdx: 4,
		NoData: 1, NoMetadata: 1, NoReason: 1, NoAct: 1, NoSealed: 2, Opened: 1,
	}
	if err != nil || tally != want {
		t.Errorf("counted %+v, %v; want %+v", tally, err, want)
	}
}

// An archive, and a record whose beginning is in archives, extends a tree.
func TestAnExportMayGoOnFromATree(t *testing.T) {
	t.Parallel()
	lines, marks := history(t)
	var before proof.Edge
	for _, line := range lines[:4] {
		before.Append(parse(t, line).Hash)
	}
	rest := func() io.Reader { return strings.NewReader(strings.Join(lines[4:], "")) }
	tally, err := export.Check(rest(), before, marks, nil)
	if got := fits(marks); err != nil || tally.From != 4 || tally.Lines != 3 || !slices.Equal(got, []int64{4, 5, 6, 7}) {
		t.Errorf("it fits %v, %+v, %v", got, tally, err)
	}
	before.Roots[0][0]++
	if _, err := export.Check(rest(), before, marks, nil); err != nil || len(fits(marks)) != 0 {
		t.Errorf("from another tree it fits %v, %v", fits(marks), err)
	}
	if _, err := export.Check(rest(), proof.Edge{}, marks, nil); err == nil {
		t.Error("it is taken for a beginning")
	}
}
