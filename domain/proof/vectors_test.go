package proof_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// vectors are the vectors of testdata/vectors.json, which describes them, that this
// package can check. They were made without this package, and docs/examples/python has
// the same result for each.
type vectors struct {
	Keys  map[string]struct{ Vkey string }
	Trees []struct {
		Name          string
		Leaves, Roots []string
	}
	Notes []struct {
		Name, Note string
		Witnesses  int
		Accepted   bool
	}
	Checkpoints   map[string]string // signed notes
	Logs          []struct{ Salt, Kind, Tenant, Log string }
	Consistencies []struct {
		Name, Since, Proof, Note string
		Witnesses                int
		Accepted                 bool
	}
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// policy needs this many of the two witnesses.
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

func TestTreesAreThoseOfTheVectors(t *testing.T) {
	t.Parallel()
	for _, tree := range readVectors(t).Trees {
		var edge proof.Edge
		for n, want := range tree.Roots {
			if root := edge.Root(); hex.EncodeToString(root[:]) != want {
				t.Errorf("%s: at size %d the root is %x, want %s", tree.Name, n, root, want)
			}
			if n < len(tree.Leaves) {
				edge.Append(tlog.RecordHash(fromHex(t, tree.Leaves[n])))
			}
		}
	}
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestLogsAreThoseOfTheVectors_D139(t *testing.T) {
	t.Parallel()
	for _, one := range readVectors(t).Logs {
		salt, err := proof.ParseSalt(one.Salt)
		kind := map[string]proof.Kind{"events": proof.Events, "access": proof.Access}[one.Kind]
		if got := salt.Log(proof.Tree{Tenant: one.Tenant, Kind: kind}); err != nil || got.String() != one.Log {
			t.Errorf("%+v is %s, %v", one, got, err)
		}
	}
}

func TestNotesMatchVectors(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, one := range v.Notes {
		if _, err := v.policy(t, one.Witnesses).Open([]byte(one.Note)); (err == nil) != one.Accepted {
			t.Errorf("%s: %v", one.Name, err)
		}
	}
}

func TestConsistencyProofsMatchVectors(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, one := range v.Consistencies {
		err := v.grown(t, one.Since, one.Proof+v.Checkpoints[one.Note], one.Witnesses)
		if (err == nil) != one.Accepted {
			t.Errorf("%s: %v", one.Name, err)
		}
	}
}

// grown checks a proof of consistency against a kept checkpoint.
func (v vectors) grown(t *testing.T, since, file string, witnesses int) error {
	t.Helper()
	kept, err := v.policy(t, 0).Open([]byte(v.Checkpoints[since]))
	if err != nil {
		return err
	}
	c, err := proof.ParseConsistency([]byte(file))
	if err != nil {
		return err
	}
	newer, err := v.policy(t, witnesses).Open(c.Note)
	if err != nil {
		return err
	}
	left, named := newer.Left.Of(kept.Origin.Epoch)
	if kept.Origin.Log != newer.Origin.Log || kept.Size != c.Old || named && kept.Size > left.Size {
		return proof.ErrInconsistent
	}
	return c.Check(kept.Root, newer)
}
