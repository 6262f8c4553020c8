package proof_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// tree holds the hashes of a tree of which each leaf is its number, in a byte or more.
type tree []tlog.Hash

func (h tree) ReadHashes(at []int64) (found []tlog.Hash, err error) {
	for _, n := range at {
		found = append(found, h[n])
	}
	return found, nil
}

func leafOf(n int64) tlog.Hash { return tlog.RecordHash([]byte{byte(n), byte(n >> 8)}) }

func treeOf(t *testing.T, size int64) (h tree) {
	t.Helper()
	for n := range size {
		more, err := tlog.StoredHashesForRecordHash(n, leafOf(n), h)
		if err != nil {
			t.Fatal(err)
		}
		h = append(h, more...)
	}
	return h
}

func (h tree) checkpoint(t *testing.T, size int64) proof.Checkpoint {
	t.Helper()
	root, err := tlog.TreeHash(size, h)
	if err != nil {
		t.Fatal(err)
	}
	return proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: stream, Epoch: 1}, Size: size, Root: root}
}

func TestAProofOfALeafHoldsForThatLeafAlone(t *testing.T) {
	t.Parallel()
	hashes := treeOf(t, 70)
	for _, size := range []int64{1, 2, 3, 64, 65, 70} {
		c := hashes.checkpoint(t, size)
		for n := range size {
			path, err := tlog.ProveRecord(size, n, hashes)
			if err != nil {
				t.Fatal(err)
			}
			made := proof.Inclusion{Index: n, Proof: path, Note: []byte("note\n")}
			read, err := proof.ParseInclusion(made.Format())
			if err != nil || read.Check(leafOf(n), c) != nil {
				t.Fatalf("leaf %d of %d is not proved: %v", n, size, err)
			}
			if read.Check(leafOf(n+1), c) == nil {
				t.Fatalf("leaf %d of %d is proved for another", n, size)
			}
		}
	}
}

// tlogProof is the example of c2sp.org/tlog-proof without its extra line, which is
// shortened there.
const tlogProof = `c2sp.org/tlog-proof@v1
index 73894
gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=
EKNzoDWG8LGC0Yp9o+sv3qllpMP9uHQ9B20KNL+Q1zs=
RoopEkOdqkYqMB4MJXrbt/hMjOxsVn0IrWjpz1ZMMes=
AHCioX9nLjsrse6YhjRRmk1WUEirVOLLRoOQ6vfO5vk=

example.com/fancylog
109482
sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=

— example.com/fancylog hI2DJw==
`

func TestAProofReadsBackAsItself(t *testing.T) {
	t.Parallel()
	p, err := proof.ParseInclusion([]byte(tlogProof))
	if err != nil || p.Index != 73894 || len(p.Proof) != 5 || string(p.Format()) != tlogProof || p.Extra != nil {
		t.Errorf("the example of C2SP reads as %+v, %v", p, err)
	}
	p.Extra = []byte(`{"n":73894}`)
	if back, err := proof.ParseInclusion(p.Format()); err != nil || !reflect.DeepEqual(back, p) {
		t.Errorf("with something beside the proof it reads back as %+v, %v", back, err)
	}
	for _, bad := range []string{
		"", "c2sp.org/tlog-proof@v2\nindex 1\n\n", tlogProof[:60], strings.Replace(tlogProof, "index 7", "index 07", 1),
		strings.Replace(tlogProof, "index 7", "index -7", 1), strings.Replace(tlogProof, "PlQ=", "PlR=", 1),
		strings.Replace(tlogProof, "PlQ=", "PlQ=\r", 1), strings.Replace(tlogProof, "index", "extra YQ==\nextra YQ==\nindex", 1),
		strings.Replace(tlogProof, "index", "extra YR==\nindex", 1), strings.Replace(tlogProof, "index", "extra \nindex", 1),
		"c2sp.org/tlog-proof@v1\nindex 1\n" + strings.Repeat(p.Proof[0].String()+"\n", 64) + "\n",
	} {
		if _, err := proof.ParseInclusion([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a proof", bad)
		}
	}
}

func FuzzParseInclusion(f *testing.F) {
	f.Add([]byte(tlogProof))
	f.Add([]byte("c2sp.org/tlog-proof@v1\nextra YQ==\nindex 0\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := proof.ParseInclusion(text)
		if err == nil && !bytes.Equal(p.Format(), text) {
			t.Errorf("%q reads back as %q", text, p.Format())
		}
		c, err := proof.ParseConsistency(text)
		if err == nil && !bytes.Equal(c.Format(), text) {
			t.Errorf("%q reads back as %q", text, c.Format())
		}
	})
}
