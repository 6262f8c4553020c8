package export_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// vectors is what this package judges of the vectors beside package proof.
type vectors struct {
	Keys        map[string]struct{ Vkey string }
	Checkpoints map[string]string
	Leaves      []struct{ Name, Line, Bytes, Hash string }
	BadLines    []struct{ Name, Line string }
	ExportLines []string
	Inclusions  []vector
	Exports     []vector
}

type vector struct {
	Name, Proof, Note string
	Lines             []json.RawMessage // a line, or the number of one
	Since             []string
	Witnesses         int
	Accepted          bool
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	data, err := os.ReadFile("../testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLinesAreJudgedAsTheVectorsSay(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	var parser export.Parser
	for _, one := range v.Leaves {
		line, ok := parser.Parse([]byte(one.Line))
		var leaf []byte
		switch {
		case line.Event != nil:
			leaf = line.Event.Leaf.Append(nil)
		case line.Access != nil:
			leaf = line.Access.Leaf.Append(nil)
		}
		if !ok || hex.EncodeToString(leaf) != one.Bytes || line.Hash.String() != one.Hash {
			t.Errorf("%s: %v, %x is hashed, and the hash is %v", one.Name, ok, leaf, line.Hash)
		}
	}
	for _, one := range v.BadLines {
		if _, ok := parser.Parse([]byte(one.Line)); ok {
			t.Errorf("a line is accepted: %s", one.Name)
		}
	}
}

func TestProofsOfALeafAreJudgedAsTheVectorsSay(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, one := range v.Inclusions {
		if got := v.included(t, one); got != one.Accepted {
			t.Errorf("%s: accepted is %v", one.Name, got)
		}
	}
}

func (v vectors) included(t *testing.T, one vector) bool {
	t.Helper()
	p, err := proof.ParseInclusion([]byte(one.Proof + v.Checkpoints[one.Note]))
	if err != nil {
		return false
	}
	c, err := v.policy(t, one.Witnesses).Open(p.Note)
	if err != nil {
		return false
	}
	var parser export.Parser
	line, ok := parser.Parse(p.Extra)
	return ok && line.N == p.Index && p.Check(line.Hash, c) == nil
}

// policy wants so many of the two witnesses.
func (v vectors) policy(t *testing.T, witnesses int) proof.Policy {
	t.Helper()
	p := proof.Policy{Need: witnesses}
	var err error
	if p.Key, err = note.NewVerifier(v.Keys["log"].Vkey); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"w1", "w2"} {
		witness, err := proof.NewWitnessVerifier(v.Keys[name].Vkey)
		if err != nil {
			t.Fatal(err)
		}
		p.Witnesses = append(p.Witnesses, witness)
	}
	return p
}

func TestExportsAreJudgedAsTheVectorsSay(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, one := range v.Exports {
		if got := v.fits(t, one); got != one.Accepted {
			t.Errorf("%s: accepted is %v", one.Name, got)
		}
	}
}

// fits reports whether an export is what its checkpoints say, of which one is the newest.
func (v vectors) fits(t *testing.T, one vector) bool {
	t.Helper()
	newest, err := v.policy(t, one.Witnesses).Open([]byte(v.Checkpoints[one.Note]))
	if err != nil {
		return false
	}
	marks := []export.Mark{{Size: newest.Size, Root: newest.Root}}
	for _, name := range one.Since {
		kept, err := v.policy(t, 0).Open([]byte(v.Checkpoints[name]))
		if err != nil || kept.Origin != newest.Origin {
			return false
		}
		marks = append(marks, export.Mark{Size: kept.Size, Root: kept.Root})
	}
	tally, err := export.Check(strings.NewReader(v.text(t, one.Lines)), marks, nil)
	return err == nil && tally.Lines == newest.Size && len(fits(marks)) == len(marks)
}

// text returns the file that an export is.
func (v vectors) text(t *testing.T, lines []json.RawMessage) string {
	t.Helper()
	var b strings.Builder
	for _, raw := range lines {
		var line string
		if n, err := strconv.Atoi(string(raw)); err == nil {
			line = v.ExportLines[n]
		} else if err := json.Unmarshal(raw, &line); err != nil {
			t.Fatal(err)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
