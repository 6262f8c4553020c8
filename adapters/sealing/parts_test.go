package sealing_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/sealing"
)

var (
	fileKey = sealing.Key{1, 2, 3}
	fileID  = uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")
)

func fileOf(t testing.TB, k sealing.Key, tenant string, id uuid.UUID) *sealing.File {
	t.Helper()
	file, err := k.File(tenant, id)
	must(t, err)
	return file
}

// Stored parts must always open.
func TestGoldenParts(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile("testdata/parts.v1.txt") // part, whether it is the last, sealed
	must(t, err)
	file := fileOf(t, fileKey, "elm-street", fileID)
	lines := strings.Split(strings.TrimSpace(string(golden)), "\n")
	for n, line := range lines {
		words := strings.Fields(line)
		last, err := strconv.ParseBool(words[1])
		must(t, err)
		sealed, err := hex.DecodeString(words[2])
		must(t, err)
		if got, err := file.Open(sealed, n, last); err != nil || string(got) != words[0] {
			t.Errorf("part %d opens as %q, %v", n, got, err)
		}
	}
}

func TestAPartOpensOnlyInItsPlace(t *testing.T) {
	t.Parallel()
	other := uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f2")
	file := fileOf(t, fileKey, "elm-street", fileID)
	sealed := file.Seal([]byte("a part"), 1, false)
	for name, open := range map[string]func(sealed []byte) ([]byte, error){
		"moved":            func(b []byte) ([]byte, error) { return file.Open(b, 0, false) },
		"as the last":      func(b []byte) ([]byte, error) { return file.Open(b, 1, true) },
		"of another file":  func(b []byte) ([]byte, error) { return fileOf(t, fileKey, "elm-street", other).Open(b, 1, false) },
		"of another house": func(b []byte) ([]byte, error) { return fileOf(t, fileKey, "oak-lane", fileID).Open(b, 1, false) },
		"under another key": func(b []byte) ([]byte, error) {
			return fileOf(t, sealing.Key{9}, "elm-street", fileID).Open(b, 1, false)
		},
		"cut off": func(b []byte) ([]byte, error) { return file.Open(b[:len(b)-1], 1, false) },
		"empty":   func([]byte) ([]byte, error) { return file.Open(nil, 1, false) },
	} {
		if got, err := open(bytes.Clone(sealed)); !errors.Is(err, sealing.ErrForeignPart) || got != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for bit := range len(sealed) * 8 {
		flipped := bytes.Clone(sealed)
		flipped[bit/8] ^= 1 << (bit % 8)
		if _, err := file.Open(flipped, 1, false); !errors.Is(err, sealing.ErrForeignPart) {
			t.Fatalf("with bit %d flipped: %v", bit, err)
		}
	}
	if got, err := file.Open(sealed, 1, false); err != nil || string(got) != "a part" {
		t.Errorf("in its place: %q, %v", got, err)
	}
}

// A part is encrypted in place, so that one buffer serves all parts of a file.
func TestAPartIsSealedInItsBuffer(t *testing.T) {
	t.Parallel()
	file, buffer := fileOf(t, fileKey, "elm-street", fileID), make([]byte, 0, 256<<10+28)
	want := bytes.Repeat([]byte{7}, 256<<10)
	for n := range 3 {
		sealed := file.Seal(append(buffer[:0], want...), n, n == 2)
		if &sealed[0] != &buffer[:1][0] || len(sealed) != 256<<10+28 {
			t.Error("part was sealed elsewhere")
		}
		if got, err := file.Open(bytes.Clone(sealed), n, n == 2); err != nil || !bytes.Equal(got, want) {
			t.Errorf("part %d: %d bytes, %v", n, len(got), err)
		}
	}
}

func TestKeyFileIsReadAsWritten(t *testing.T) {
	t.Parallel()
	key := sealing.NewKey()
	if got, err := sealing.ParseKey(key.Base64()); err != nil || got != key {
		t.Errorf("read back as another, %v", err)
	}
	for _, text := range []string{"", "[personal]", "YWJj", key.Base64()[1:]} {
		if _, err := sealing.ParseKey(text); !errors.Is(err, sealing.ErrNotAKey) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func BenchmarkSealPart(b *testing.B) {
	file, part := fileOf(b, fileKey, "elm-street", fileID), make([]byte, 256<<10, 256<<10+28)
	b.SetBytes(256 << 10)
	for b.Loop() {
		file.Seal(part, 0, false)
	}
}
