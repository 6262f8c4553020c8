package sealing_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/sealing"
)

var (
	one   = sealing.MasterKey{1}
	two   = sealing.MasterKey{2}
	three = sealing.MasterKey{3}
)

func text(key sealing.MasterKey) string { return base64.StdEncoding.EncodeToString(key[:]) }

func TestRingFile_D136(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []sealing.MasterKey
		err  string
	}{
		"one key":                 {text(one), []sealing.MasterKey{one}, ""},
		"two keys":                {text(one) + "\n" + text(two) + "\n", []sealing.MasterKey{one, two}, ""},
		"identifiers and remarks": {"# keys\n\n" + one.ID() + " " + text(one) + "\r\n", []sealing.MasterKey{one}, ""},
		"nothing":                 {"# none\n", nil, "32 random bytes"},
		"a torn line":             {text(one) + "\n" + text(two)[:20], nil, "32 random bytes"},
		"another identifier":      {two.ID() + " " + text(one), nil, "has another one"},
		"a key twice":             {text(one) + "\n" + text(one), nil, "is there twice"},
		"three words":             {"a b " + text(one), nil, "32 random bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "master.key")
			must(t, os.WriteFile(file, []byte(c.text), 0o600))
			keys, err := sealing.ReadRing(file)
			if diff := cmp.Diff(c.want, keys); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("error = %v, want %q", err, c.err)
			}
			if err != nil && strings.Contains(err.Error(), text(one)[:12]) {
				t.Errorf("the error has a part of a key: %v", err)
			}
		})
	}
	if _, err := sealing.ReadRing(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestRingFileIsReplacedAtomically_D136(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "master.key")
	must(t, sealing.WriteRing(file, []sealing.MasterKey{one}))
	info, err := os.Stat(file)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("permissions of a new file: %v", info.Mode())
	}
	must(t, os.Chmod(file, 0o640))
	must(t, sealing.WriteRing(file, []sealing.MasterKey{two, one}))
	keys, err := sealing.ReadRing(file)
	must(t, err)
	if diff := cmp.Diff([]sealing.MasterKey{two, one}, keys); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	info, err = os.Stat(file)
	must(t, err)
	if info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v", info.Mode())
	}
}

func TestRingOpensWithEveryKey_D136(t *testing.T) {
	t.Parallel()
	ring := sealing.NewRing(one, two)
	sealed, err := ring.Seal([]byte("text"), []byte("place"))
	must(t, err)
	derived := ring.Derive("a purpose")
	must(t, ring.Use(two.ID()))
	if id, _, err := ring.Current(); err != nil || id != two.ID() {
		t.Errorf("wraps with %s, %v", id, err)
	}
	if plain, err := ring.Open(sealed, []byte("place")); err != nil || !bytes.Equal(plain, []byte("text")) {
		t.Errorf("%q, %v", plain, err)
	}
	if turned := ring.Derive("a purpose"); turned[0] != derived[1] || turned[1] != derived[0] {
		t.Error("the key that wraps does not come first")
	}

	ring.Replace(three, two)
	if id, _, err := ring.Current(); err != nil || id != two.ID() {
		t.Errorf("after the ring was read again, it wraps with %s, %v", id, err)
	}
	if _, err := ring.Open(sealed, []byte("place")); !errors.Is(err, sealing.ErrWrongMasterKey) {
		t.Errorf("a key that left the ring opens: %v", err)
	}
	var other *sealing.OtherMasterKeyError
	if err := ring.Use(one.ID()); !errors.As(err, &other) || other.Is != one.ID() {
		t.Errorf("error = %v", err)
	}
	if _, err := (&sealing.Ring{}).Seal(nil, nil); !errors.Is(err, sealing.ErrNoMasterKey) {
		t.Errorf("an empty ring encrypts: %v", err)
	}
}
