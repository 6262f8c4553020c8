package export_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// vectors are the vectors of package proof that this package can check. They were made
// without it, and docs/examples/python has the same result for each.
type vectors struct {
	Keys        map[string]struct{ Vkey string }
	Leaves      []struct{ Name, Line, Bytes, Hash string }
	BadLines    []struct{ Name, Line string }
	Checkpoints map[string]string // signed notes
	Inclusions  []struct {
		Name, Proof, Note string
		Witnesses         int
		Accepted          bool
	}
	ExportLines []string
	Exports     []struct {
		Name, Note string
		Lines      []json.RawMessage
		Since      []string
		Witnesses  int
		Accepted   bool
		From       int64 // from the manifest, where the export begins
		Edge       []byte
	}
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

// open opens a note under a policy that needs this many of the two witnesses.
func (v vectors) open(t *testing.T, note string, witnesses int) (proof.Checkpoint, error) {
	t.Helper()
	policy, err := proof.NewPolicy(v.Keys["log"].Vkey, []string{v.Keys["w1"].Vkey, v.Keys["w2"].Vkey}, witnesses)
	if err != nil {
		t.Fatal(err)
	}
	return policy.Open([]byte(note))
}

func TestLeavesAreThoseOfTheVectors(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, leaf := range v.Leaves {
		line := parse(t, leaf.Line)
		var hashed []byte
		if line.Event != nil {
			hashed = line.Event.Leaf.Append(nil)
		} else {
			hashed = line.Access.Leaf.Append(nil)
		}
		if hex.EncodeToString(hashed) != leaf.Bytes || base64.StdEncoding.EncodeToString(line.Hash[:]) != leaf.Hash {
			t.Errorf("%s: hashed %x to %v, want %s", leaf.Name, hashed, line.Hash, leaf.Hash)
		}
	}
	for _, bad := range v.BadLines {
		var p export.Parser
		if _, ok := p.Parse([]byte(bad.Line)); ok {
			t.Errorf("%s: this is taken for a line: %s", bad.Name, bad.Line)
		}
	}
}

func TestInclusionProofsMatchVectors(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, one := range v.Inclusions {
		err := v.included(t, one.Proof+v.Checkpoints[one.Note], one.Witnesses)
		if (err == nil) != one.Accepted {
			t.Errorf("%s: %v", one.Name, err)
		}
	}
}

func (v vectors) included(t *testing.T, file string, witnesses int) error {
	t.Helper()
	p, err := proof.ParseInclusion([]byte(file))
	if err != nil {
		return err
	}
	c, err := v.open(t, string(p.Note), witnesses)
	if err != nil {
		return err
	}
	_, err = export.Included(p, c)
	return err
}

func TestExportsMatchVectors(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, one := range v.Exports {
		var file strings.Builder
		for _, line := range one.Lines {
			var at int
			var text string
			if json.Unmarshal(line, &at) == nil {
				text = v.ExportLines[at]
			} else if err := json.Unmarshal(line, &text); err != nil {
				t.Fatal(err)
			}
			file.WriteString(text + "\n")
		}
		from, err := proof.ParseEdge(one.From, one.Edge)
		if err == nil {
			err = v.verified(t, file.String(), from, v.Checkpoints[one.Note], one.Since, one.Witnesses)
		}
		if (err == nil) != one.Accepted {
			t.Errorf("%s: %v", one.Name, err)
		}
	}
}

func (v vectors) verified(t *testing.T, file string, from proof.Edge, note string, since []string, witnesses int) error {
	t.Helper()
	newest, err := v.open(t, note, witnesses)
	if err != nil {
		return err
	}
	var kept []proof.Checkpoint
	for _, name := range since {
		c, err := v.open(t, v.Checkpoints[name], 0)
		if err != nil {
			return err
		}
		kept = append(kept, c)
	}
	_, err = export.Verify(strings.NewReader(file), from, newest, kept, nil)
	return err
}
