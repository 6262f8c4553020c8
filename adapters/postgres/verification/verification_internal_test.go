package verification

import (
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// A tree that continues after an archive has the same tiles as before.
func TestATreeGoesOnBehindAnArchive_D80(t *testing.T) {
	t.Parallel()
	const leaves = 600
	hash := func(n int64) tlog.Hash { return tlog.RecordHash([]byte{byte(n), byte(n >> 8)}) }
	whole, want := &tree{}, map[int64]placed{}
	var at []proof.Edge
	for n := range int64(leaves) {
		at = append(at, whole.edge)
		want[n] = whole.append(leaf{idx: n + 1, hash: hash(n)}, leaves)
	}
	for _, from := range []int64{1, 3, 255, 256, 257, 511, 512, 599} {
		r := &reading{Verification: &Verification{}, trees: map[proof.Tree]*tree{}}
		later := r.tree(proof.Tree{Kind: proof.Access})
		r.beginAt(later, at[from])
		for n := from; n < leaves; n++ {
			got := later.append(leaf{idx: n + 1, hash: hash(n)}, leaves)
			if got.n != n || (got.root == nil) != (want[n].root == nil) || got.root != nil && *got.root != *want[n].root {
				t.Fatalf("from %d on, leaf %d is placed as %+v, want %+v", from, n, got, want[n])
			}
		}
		if later.edge.Root() != whole.edge.Root() || later.known != leaves {
			t.Errorf("from %d on, it has another root, or %d leaves", from, later.known)
		}
	}
}

// However much differs, the result is bounded, with the number of further findings.
func TestFindingsAreBounded_D81(t *testing.T) {
	t.Parallel()
	var r Result
	for n := range mostFound + 7 {
		r.Add(Finding{Check: Gap}, "%d", n).Count++
	}
	if len(r.Found) != mostFound || r.More != 7 || r.Found[3].Says != "3" || r.Found[3].Count != 1 {
		t.Errorf("%d findings and %d more", len(r.Found), r.More)
	}
}
