package proof_test

import (
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// The edge has the same root as the whole tree, at every size.
func TestAnEdgeHasTheRootOfTheTree(t *testing.T) {
	t.Parallel()
	var edge proof.Edge
	var hashes []tlog.Hash
	reader := tlog.HashReaderFunc(func(at []int64) (found []tlog.Hash, err error) {
		for _, n := range at {
			found = append(found, hashes[n])
		}
		return found, nil
	})
	for n := range int64(300) {
		root, err := tlog.TreeHash(n, reader)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 && edge.Root() != root {
			t.Fatalf("at size %d the root is %v, want %v", n, edge.Root(), root)
		}
		if edge, err = proof.ParseEdge(n, edge.Bytes()); err != nil {
			t.Fatal(err)
		}
		leaf := tlog.RecordHash([]byte{byte(n)})
		more, err := tlog.StoredHashesForRecordHash(n, leaf, reader)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, more...)
		before := edge
		root = before.Root()
		edge.Append(leaf)
		if before.Root() != root {
			t.Fatalf("at size %d, going on with a copy has changed the edge", n)
		}
	}
}

func TestAnEdgeOfAnotherSizeIsRefused(t *testing.T) {
	t.Parallel()
	for size, bytes := range map[int64]int{-1: 0, 0: 32, 3: 32, 4: 31} {
		if _, err := proof.ParseEdge(size, make([]byte, bytes)); err == nil {
			t.Errorf("%d bytes are taken for the edge of size %d", bytes, size)
		}
	}
}
