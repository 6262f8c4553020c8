package proof_test

import (
	"bytes"
	"crypto/rand"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/domain/proof"
)

func keyOf(t *testing.T, name string) (note.Signer, note.Verifier) {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, name)
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
	return signer, verifier
}

func TestACheckpointIsTrustedForItsSignatures(t *testing.T) {
	t.Parallel()
	log, logKey := keyOf(t, "api.example")
	_, otherKey := keyOf(t, "api.example")
	foreign, foreignKey := keyOf(t, "other.example")
	ann, annKey := keyOf(t, "ann.example")
	ben, benKey := keyOf(t, "ben.example")
	sign := func(text string, by ...note.Signer) []byte {
		signed, err := note.Sign(&note.Note{Text: text}, by...)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	text := checkpoint().String()
	both := sign(text, log, ann, ben)
	witnesses := []note.Verifier{annKey, benKey}
	for name, c := range map[string]struct {
		proof.Policy
		note []byte
		want string // part of the refusal; "" if it is trusted
	}{
		"signed":                            {proof.Policy{Key: logKey}, sign(text, log), ""},
		"witnesses whom nobody asks for":    {proof.Policy{Key: logKey}, both, ""},
		"both witnesses":                    {proof.Policy{Key: logKey, Witnesses: witnesses, Need: 2}, both, ""},
		"one of both":                       {proof.Policy{Key: logKey, Witnesses: witnesses, Need: 1}, sign(text, ben, log), ""},
		"one is too few":                    {proof.Policy{Key: logKey, Witnesses: witnesses, Need: 2}, sign(text, ben, log), "cosigned by 1"},
		"one, twice":                        {proof.Policy{Key: logKey, Witnesses: witnesses, Need: 2}, twice(sign(text, log, ben)), "cosigned by 1"},
		"another key of that name":          {proof.Policy{Key: otherKey}, sign(text, log), "not signed"},
		"signed by witnesses alone":         {proof.Policy{Key: logKey, Witnesses: witnesses, Need: 2}, sign(text, ann, ben), "not signed"},
		"changed":                           {proof.Policy{Key: logKey}, bytes.Replace(both, []byte("\n73\n"), []byte("\n74\n"), 1), "api.example does not fit"},
		"a witness's signature is broken":   {proof.Policy{Key: logKey, Witnesses: witnesses}, broken(both), "ben.example does not fit"},
		"no note":                           {proof.Policy{Key: logKey}, []byte(text), "not signed"},
		"signed by the key of another name": {proof.Policy{Key: foreignKey}, sign(text, foreign), "that of other.example"},
		"no checkpoint":                     {proof.Policy{Key: logKey}, sign("text\n", log), "no checkpoint"},
	} {
		got, err := c.Open(c.note)
		switch {
		case c.want == "" && (err != nil || got != checkpoint()):
			t.Errorf("%s: %v, %v", name, got, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	_, by, err := proof.Policy{Key: logKey, Witnesses: witnesses}.OpenWitnessed(sign(text, log, ben))
	if err != nil || !slices.Equal(by, []string{"ben.example"}) {
		t.Errorf("it says that %v have cosigned, %v", by, err)
	}
}

// twice has the last signature of a note twice.
func twice(signed []byte) []byte {
	last := signed[bytes.LastIndex(signed, []byte("—")):]
	return slices.Concat(signed, last)
}

// broken changes the last signature of a note.
func broken(signed []byte) []byte {
	other := bytes.Clone(signed)
	at := &other[len(other)-10]
	if *at++; !strings.ContainsRune("BCDEFGH", rune(*at)) {
		*at = 'A'
	}
	return other
}
