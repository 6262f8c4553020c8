package export_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// Errors name the numbers of the fault.
func TestVerifyNamesFaultyNumbers(t *testing.T) {
	t.Parallel()
	lines, marks := history(t)
	at := func(size int64, epoch int) proof.Checkpoint {
		return proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: stream, Epoch: epoch}, Size: size, Root: marks[size].Root}
	}
	forged := func(c proof.Checkpoint) proof.Checkpoint { c.Root[0]++; return c }
	other := at(2, 1)
	other.Origin.Log = uuid.Nil
	changed := append([]string{}, lines...)
	changed[4] = strings.Replace(changed[4], "note", "nope", 1)
	for name, c := range map[string]struct {
		lines  []string
		newest proof.Checkpoint
		kept   []proof.Checkpoint
		want   string // part of the error; "" for none
	}{
		"nothing":                  {lines, at(7, 1), []proof.Checkpoint{at(3, 1), at(7, 1), at(0, 1)}, ""},
		"kept before a restore":    {lines, at(7, 2), []proof.Checkpoint{at(3, 1)}, ""},
		"changed":                  {changed, at(7, 1), nil, "from number 0 to number 6"},
		"changed between two kept": {changed, at(7, 1), []proof.Checkpoint{at(6, 1), at(3, 1)}, "from number 3 to number 5"},
		"two kept of one size":     {changed, at(7, 1), []proof.Checkpoint{forged(at(3, 1)), at(3, 1)}, "from number 3 to number 6"},
		"cut off":                  {lines[:5], at(7, 1), nil, "the last 2 are missing"},
		"too long":                 {lines, at(5, 1), nil, "nothing vouches for number 5"},
		"rolled back":              {lines[:5], at(5, 1), []proof.Checkpoint{at(7, 1)}, "has 5 numbers now and had 7"},
		"restored":                 {lines[:5], at(5, 2), []proof.Checkpoint{at(7, 1)}, "log.epoch-begun.v1"},
		"two histories":            {lines, at(7, 1), []proof.Checkpoint{forged(at(5, 1))}, "two histories were signed."},
		"lost and written anew":    {lines, at(7, 2), []proof.Checkpoint{forged(at(5, 1))}, "log.epoch-begun.v1"},
		"an epoch goes back":       {lines, at(7, 1), []proof.Checkpoint{at(5, 2)}, "epoch 2"},
		"another log":              {lines, at(7, 1), []proof.Checkpoint{other}, "different logs"},
	} {
		_, err := export.Verify(strings.NewReader(strings.Join(c.lines, "")), proof.Edge{}, c.newest, c.kept, nil)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// An export that extends a tree shows whether a kept checkpoint of that size, or of a
// larger one, is of the same log. It cannot show it for smaller ones.
func TestContinuedExportShowsFork(t *testing.T) {
	t.Parallel()
	lines, marks := history(t)
	var from proof.Edge
	rest := ""
	for n, line := range lines {
		if hash := parse(t, line).Hash; n < 4 {
			from.Append(hash)
		} else {
			rest += lineOf(t, export.HashLine{N: int64(n), Leaf: hash})
		}
	}
	for size, want := range map[int64]bool{3: false, 4: true, 5: true} {
		origin := proof.Origin{Name: "api.example", Log: stream, Epoch: 1}
		kept := proof.Checkpoint{Origin: origin, Size: size, Root: marks[size].Root}
		kept.Root[0]++
		newest := proof.Checkpoint{Origin: origin, Size: 7, Root: marks[7].Root}
		_, err := export.Verify(strings.NewReader(rest), from, newest, []proof.Checkpoint{kept}, nil)
		if forked := err != nil && strings.Contains(err.Error(), "two histories"); forked != want {
			t.Errorf("kept at size %d: %v, want a fork: %t", size, err, want)
		}
	}
}

// The number of a line is not in its leaf, so it has to be that of the proof.
func TestALineIsProvedUnderItsOwnNumber(t *testing.T) {
	t.Parallel()
	line := export.EventOf(0, stored(17))
	text := strings.TrimSpace(lineOf(t, line))
	of := proof.Checkpoint{Size: 1, Root: line.Hash()}
	if read, err := export.Included(proof.Inclusion{Extra: []byte(text)}, of); err != nil || read.Idx() != 17 {
		t.Errorf("the only line of a log: %v, %v", read.Idx(), err)
	}
	for _, other := range []string{strings.Replace(text, `"n":0`, `"n":1`, 1), "", "{}", strings.Replace(text, `"idx":17`, `"idx":18`, 1)} {
		if _, err := export.Included(proof.Inclusion{Extra: []byte(other)}, of); err == nil {
			t.Errorf("this is proved: %.40s", other)
		}
	}
}
