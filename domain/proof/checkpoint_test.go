package proof_test

import (
	"crypto/rand"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

func checkpoint() proof.Checkpoint {
	return proof.Checkpoint{
		Origin: proof.Origin{Name: "api.example", Log: stream, Epoch: 2}, Size: 73, Root: tlog.RecordHash([]byte("root")),
		Left: proof.EpochsOf([]proof.Left{{Epoch: 1, Size: 70, Root: tlog.RecordHash([]byte("before"))}}),
	}
}

func TestACheckpointReadsBackAsItself(t *testing.T) {
	t.Parallel()
	c := checkpoint()
	text := "api.example/log/0198a1b2-0000-7000-8000-000000000001/2\n73\n" + c.Root.String() + "\nleft 1 70 " + tlog.RecordHash([]byte("before")).String() + "\n"
	if c.String() != text {
		t.Errorf("the checkpoint is %q, want %q", c, text)
	}
	if back, err := proof.ParseCheckpoint(text); err != nil || back != c {
		t.Errorf("it reads back as %v, %v", back, err)
	}
	for _, bad := range []string{"", "x", text + "more\n", text[:len(text)-1], "a/log/b/1\n73\n" + c.Root.String() + "\n",
		"api.example/log/0198a1b2-0000-7000-8000-000000000001/2\n073\n" + c.Root.String() + "\n"} {
		if _, err := proof.ParseCheckpoint(bad); err == nil {
			t.Errorf("%q is taken for a checkpoint", bad)
		}
	}
}

func TestACheckpointIsSigned(t *testing.T) {
	t.Parallel()
	private, public, err := note.GenerateKey(rand.Reader, "api.example")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := checkpoint().Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil || opened.Text != checkpoint().String() {
		t.Errorf("opened as %+v, %v", opened, err)
	}
}
