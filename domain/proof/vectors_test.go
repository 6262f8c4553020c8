package proof_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// vectors is testdata/vectors.json, which says what is in it. It was made without this
// package, and docs/examples/python gives each the same verdict.
type vectors struct {
	Trees []struct {
		Name          string
		Leaves, Roots []string
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
