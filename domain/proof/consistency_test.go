package proof_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

func TestAProofThatATreeHasOnlyGrown(t *testing.T) {
	t.Parallel()
	hashes, other := treeOf(t, 70), treeOf(t, 70)
	fork := other.checkpoint(t, 70)
	fork.Root = tlog.RecordHash([]byte("fork"))
	for _, size := range []int64{1, 2, 64, 65, 70} {
		newer := hashes.checkpoint(t, size)
		for old := range size + 1 {
			c := proof.Consistency{Old: old, Note: []byte("note\n")}
			if old > 0 {
				var err error
				if c.Proof, err = tlog.ProveTree(size, old, hashes); err != nil {
					t.Fatal(err)
				}
			}
			read, err := proof.ParseConsistency(c.Format())
			if err != nil || read.Check(hashes.checkpoint(t, old).Root, newer) != nil {
				t.Fatalf("it is not proved that %d grew to %d: %v", old, size, err)
			}
			if err := read.Check(fork.Root, newer); !errors.Is(err, proof.ErrInconsistent) {
				t.Fatalf("another tree of %d grew to %d: %v", old, size, err)
			}
		}
	}
}

func TestInconsistentTreesAreRefused(t *testing.T) {
	t.Parallel()
	hashes := treeOf(t, 9)
	empty, nine := hashes.checkpoint(t, 0), hashes.checkpoint(t, 9)
	wrong := empty
	wrong.Root = nine.Root
	path, err := tlog.ProveTree(9, 5, hashes)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		proof.Consistency
		old   tlog.Hash
		newer proof.Checkpoint
	}{
		"a shorter tree":            {proof.Consistency{Old: 9, Proof: path}, nine.Root, hashes.checkpoint(t, 5)},
		"a proof of nothing":        {proof.Consistency{Old: 0, Proof: path}, empty.Root, nine},
		"a proof of the same":       {proof.Consistency{Old: 9, Proof: path}, nine.Root, nine},
		"no proof":                  {proof.Consistency{Old: 5}, hashes.checkpoint(t, 5).Root, nine},
		"a root of nothing":         {proof.Consistency{Old: 0}, empty.Root, wrong},
		"another nothing":           {proof.Consistency{Old: 0}, nine.Root, nine},
		"a proof for another size":  {proof.Consistency{Old: 6, Proof: path}, hashes.checkpoint(t, 6).Root, nine},
		"the end of it that is cut": {proof.Consistency{Old: 5, Proof: path[:len(path)-1]}, hashes.checkpoint(t, 5).Root, nine},
	} {
		if err := c.Check(c.old, c.newer); !errors.Is(err, proof.ErrInconsistent) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (proof.Consistency{}).Check(empty.Root, empty); err != nil {
		t.Errorf("nothing that became nothing: %v", err)
	}
}

// addCheckpoint is the example of c2sp.org/tlog-witness.
const addCheckpoint = `old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— example.com/behind-the-sofa opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=
`

func TestARequestToAWitnessReadsBackAsItself(t *testing.T) {
	t.Parallel()
	c, err := proof.ParseConsistency([]byte(addCheckpoint))
	if err != nil || c.Old != 20852014 || len(c.Proof) != 4 || string(c.Format()) != addCheckpoint {
		t.Errorf("the example of C2SP reads as %+v, %v", c, err)
	}
	for _, bad := range []string{
		"", "old\n\n", "old 1", "old 1\n", "old +1\n\nx", "old 01\n\nx", "old 1 \n\nx", "old  1\n\nx", "new 1\n\nx", "old 9223372036854775808\n\nx",
		"old 1\nhash\n\nx", strings.Replace(addCheckpoint, "\n", "\r\n", 1), "old 1\n" + strings.Repeat(c.Proof[0].String()+"\n", 64) + "\nx",
	} {
		if _, err := proof.ParseConsistency([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a request", bad)
		}
	}
}
