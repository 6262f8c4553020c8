package proof_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
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
		"witnesses that are not required":   {proof.Policy{Key: logKey}, both, ""},
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

func TestAPolicyCountsEachWitnessOnce(t *testing.T) {
	t.Parallel()
	_, logKey, err := note.GenerateKey(rand.Reader, "api.example")
	must(t, err)
	_, ann, err := proof.GenerateWitnessKey(rand.Reader, "ann.example")
	must(t, err)
	_, ben, err := proof.GenerateWitnessKey(rand.Reader, "ben.example")
	must(t, err)
	bytesOf := func(vkey string) []byte {
		key, err := base64.StdEncoding.DecodeString(strings.SplitN(vkey, "+", 3)[2])
		must(t, err)
		return key[1:]
	}
	for name, c := range map[string]struct {
		key       string
		witnesses []string
		need      int
		want      string // part of the refusal; "" for none
	}{
		"a log alone":                     {logKey, nil, 0, ""},
		"two witnesses":                   {logKey, []string{ann, ben}, 2, ""},
		"a key that is none":              {"api.example", nil, 0, "no verifier key"},
		"a witness's key as the log's":    {ann, nil, 0, "no verifier key"},
		"more than there are":             {logKey, []string{ann}, 2, "keys of 1"},
		"fewer than none":                 {logKey, nil, -1, "keys of 0"},
		"one witness twice":               {logKey, []string{ann, ann}, 1, "given twice"},
		"one witness under two names":     {logKey, []string{ann, vkeyOf("bob.example", bytesOf(ann))}, 1, "given twice"},
		"the log's key as a witness's":    {logKey, []string{vkeyOf("bob.example", bytesOf(logKey))}, 1, "given twice"},
		"the log's key, as it is printed": {logKey, []string{logKey}, 1, "no verifier key of a witness"},
	} {
		_, err := proof.NewPolicy(c.key, c.witnesses, c.need)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// vkeyOf is the verifier key of a witness.
func vkeyOf(name string, public []byte) string {
	key := append([]byte{4}, public...)
	sum := sha256.Sum256(append([]byte(name+"\n"), key...))
	return fmt.Sprintf("%s+%x+%s", name, sum[:4], base64.StdEncoding.EncodeToString(key))
}

func TestParseNoteReadsSignedCheckpoint(t *testing.T) {
	t.Parallel()
	log, _ := keyOf(t, "api.example")
	signed, err := checkpoint().Sign(log)
	must(t, err)
	if c, err := proof.ParseNote(signed); err != nil || c != checkpoint() {
		t.Errorf("it reads as %v, %v", c, err)
	}
	if _, err := proof.ParseNote([]byte("note")); err == nil {
		t.Error("a word is taken for a note")
	}
}
