package sealing_test

import (
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

var (
	zoe   = event.Holder{Kind: event.OfPractitioner, ID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c1")}
	named = []string{"Dr Zoë", "zoe@elm.example"}
)

const place = "call 0190c7a2-0000-7000-8000-0000000000d1"

func boxIn(t testing.TB, sealed []byte) sealing.Box {
	t.Helper()
	boxes, err := sealing.Boxes(sealed)
	if err != nil || len(boxes) != 1 {
		t.Fatalf("%d boxes, %v", len(boxes), err)
	}
	return boxes[0]
}

// A stored box must always open.
func TestGoldenBoxInAPlace(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile("testdata/place.v1.txt")
	must(t, err)
	sealed, err := hex.DecodeString(strings.TrimSpace(string(golden)))
	must(t, err)
	box := boxIn(t, sealed)
	if got, err := box.OpenAt(fileKey, "elm-street", place); err != nil || !slices.Equal(got, named) || box.Of != zoe {
		t.Errorf("of %v: %q, %v", box.Of, got, err)
	}
}

func TestABoxOpensOnlyInItsPlace(t *testing.T) {
	t.Parallel()
	sealed, err := fileKey.SealAt("elm-street", place, zoe, named)
	must(t, err)
	box, renamed := boxIn(t, sealed), boxIn(t, sealed)
	renamed.Of.ID[0] ^= 1
	for name, open := range map[string]func() ([]string, error){
		"in another place":    func() ([]string, error) { return box.OpenAt(fileKey, "elm-street", place[:10]) },
		"in another practice": func() ([]string, error) { return box.OpenAt(fileKey, "oak-lane", place) },
		"with another key":    func() ([]string, error) { return box.OpenAt(sealing.Key{9}, "elm-street", place) },
		"as somebody else's":  func() ([]string, error) { return renamed.OpenAt(fileKey, "elm-street", place) },
		"in an event": func() ([]string, error) {
			return box.Open(fileKey, event.Stored{Stream: event.Stream{Tenant: "elm-street"}, Name: place})
		},
	} {
		if got, err := open(); !errors.Is(err, sealing.ErrForeignBox) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := box.OpenAt(fileKey, "elm-street", place); err != nil || !slices.Equal(got, named) {
		t.Errorf("in its place: %q, %v", got, err)
	}
}
