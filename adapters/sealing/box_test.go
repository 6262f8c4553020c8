package sealing_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

var (
	ann  = event.Holder{Kind: event.OfPatient, ID: uuid.MustParse("0190c7a2-0000-7000-8000-00000000000a")}
	kept = event.Stored{
		ID: uuid.MustParse("0190c7a2-0000-7000-8000-00000000000b"), Version: 3, Name: "test.noted.v1",
		Stream: event.Stream{Tenant: "elm-street", ID: uuid.MustParse("0190c7a2-0000-7000-8000-00000000000c")},
	}
	key    = sealing.Key(bytes.Repeat([]byte{3}, 32))
	values = []string{"Ann Archer", "", "ö <&> \u2028", event.Hidden}
)

// open takes a stored box apart and opens it.
func open(stored []byte, k sealing.Key, in event.Stored) ([]string, error) {
	boxes, err := sealing.Boxes(stored)
	if err != nil {
		return nil, err
	}
	if len(boxes) != 1 {
		return nil, sealing.ErrNotABox
	}
	return boxes[0].Open(k, in)
}

func seal(t *testing.T, of event.Holder, values []string, in event.Stored) []byte {
	t.Helper()
	box, err := key.Seal(of, values, in)
	must(t, err)
	return box
}

// golden is a box that must always open.
type golden struct {
	Of     event.Holder
	Values []string
	Box    string // in hexadecimal
}

// Each version of a box has a file with a box of each kind of holder. It is never
// regenerated.
func TestGoldenBoxesOpen_D68(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/boxes.v1.json")
	must(t, err)
	var all []golden
	must(t, json.Unmarshal(text, &all))
	for kind := event.OfPatient; kind <= event.OfRequest; kind++ {
		if !slices.ContainsFunc(all, func(g golden) bool { return g.Of.Kind == kind }) {
			t.Errorf("there is no box of a %s", kind)
		}
	}
	for _, g := range all {
		stored, err := hex.DecodeString(g.Box)
		must(t, err)
		got, err := open(stored, key, kept)
		if err != nil || !slices.Equal(got, g.Values) || stored[0] != 1 || stored[1] != byte(g.Of.Kind) {
			t.Errorf("%s: %q, %v", g.Of.Kind, got, err)
		}
	}
}

func TestNoAlteredBoxOpens_D68(t *testing.T) {
	t.Parallel()
	box := seal(t, ann, values, kept)
	if len(box)*8 < 600 {
		t.Fatalf("a box of %d bytes", len(box))
	}
	for bit := range len(box) * 8 {
		altered := bytes.Clone(box)
		altered[bit/8] ^= 1 << (bit % 8)
		if got, err := open(altered, key, kept); !refusal(err) {
			t.Errorf("with bit %d turned it opens to %q, %v", bit, got, err)
		}
	}
	for length := range box {
		if got, err := open(box[:length], key, kept); !refusal(err) {
			t.Errorf("cut to %d bytes it opens to %q, %v", length, got, err)
		}
	}
}

func refusal(err error) bool {
	return errors.Is(err, sealing.ErrNotABox) || errors.Is(err, sealing.ErrForeignBox)
}

func TestNoMovedBoxOpens_D68(t *testing.T) {
	t.Parallel()
	box := seal(t, ann, values, kept)
	for what, move := range map[string]func(*event.Stored){
		"event":    func(s *event.Stored) { s.ID[15]++ },
		"stream":   func(s *event.Stored) { s.Stream.ID[15]++ },
		"version":  func(s *event.Stored) { s.Version++ },
		"practice": func(s *event.Stored) { s.Stream.Tenant = "elm-stree" },
		"name":     func(s *event.Stored) { s.Name = "test.noted.v2" },
		"between practice and name": func(s *event.Stored) {
			s.Stream.Tenant, s.Name = s.Stream.Tenant+s.Name[:1], s.Name[1:]
		},
	} {
		in := kept
		move(&in)
		if got, err := open(box, key, in); !errors.Is(err, sealing.ErrForeignBox) {
			t.Errorf("in another %s it opens to %q, %v", what, got, err)
		}
	}
	boxes, err := sealing.Boxes(box)
	must(t, err)
	for what, of := range map[string]event.Holder{"holder": {Kind: ann.Kind, ID: uuid.Max}, "kind": {Kind: event.OfRequest, ID: ann.ID}} {
		moved := boxes[0]
		moved.Of = of
		if got, err := moved.Open(key, kept); !errors.Is(err, sealing.ErrForeignBox) {
			t.Errorf("of another %s it opens to %q, %v", what, got, err)
		}
	}
	if got, err := open(box, sealing.NewKey(), kept); !errors.Is(err, sealing.ErrForeignBox) {
		t.Errorf("with another key it opens to %q, %v", got, err)
	}
}

func TestBoxesAreConcatenated_D68(t *testing.T) {
	t.Parallel()
	bill := event.Holder{Kind: event.OfRequest, ID: kept.Stream.ID}
	boxes, err := sealing.Boxes(append(seal(t, ann, []string{"a"}, kept), seal(t, bill, []string{"b"}, kept)...))
	if err != nil || len(boxes) != 2 || boxes[0].Of != ann || boxes[1].Of != bill || boxes[1].Fingerprint != key.Fingerprint() {
		t.Fatalf("%v, %v", boxes, err)
	}
	got, err := boxes[1].Open(key, kept)
	if err != nil || !slices.Equal(got, []string{"b"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// The length of a value is visible only in steps of 32 bytes, and equal values are not
// visible.
func TestBoxHidesLengthAndEquality_D68(t *testing.T) {
	t.Parallel()
	short, long := seal(t, ann, []string{"Jo"}, kept), seal(t, ann, []string{strings.Repeat("x", 28)}, kept)
	if len(short) != len(long) || bytes.Equal(short, seal(t, ann, []string{"Jo"}, kept)) {
		t.Errorf("%d and %d bytes, or the same twice", len(short), len(long))
	}
}

func TestAKeyIsNeverPrinted_D68(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"%v", "%s", "%+v", "%#v"} {
		if got := fmt.Sprintf(verb, key); got != "[key]" {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}

func TestNoMovedKeyIsUnwrapped_D69(t *testing.T) {
	t.Parallel()
	wrapper, err := sealing.MasterKey{1}.Wrapper()
	must(t, err)
	wrapped := wrapper.Wrap(key, "elm-street", ann)
	if got, err := wrapper.Unwrap(wrapped, "elm-street", ann); err != nil || got != key {
		t.Fatal(err)
	}
	other, err := sealing.MasterKey{2}.Wrapper()
	must(t, err)
	for what, unwrap := range map[string]func() (sealing.Key, error){
		"another holder's": func() (sealing.Key, error) {
			return wrapper.Unwrap(wrapped, "elm-street", event.Holder{Kind: ann.Kind})
		},
		"another kind's": func() (sealing.Key, error) {
			return wrapper.Unwrap(wrapped, "elm-street", event.Holder{Kind: event.OfStaff, ID: ann.ID})
		},
		"another practice's":   func() (sealing.Key, error) { return wrapper.Unwrap(wrapped, "oak-street", ann) },
		"another master key's": func() (sealing.Key, error) { return other.Unwrap(wrapped, "elm-street", ann) },
	} {
		if _, err := unwrap(); !errors.Is(err, sealing.ErrWrongMasterKey) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for bit := range len(wrapped) * 8 {
		altered := bytes.Clone(wrapped)
		altered[bit/8] ^= 1 << (bit % 8)
		if _, err := wrapper.Unwrap(altered, "elm-street", ann); !errors.Is(err, sealing.ErrWrongMasterKey) {
			t.Errorf("with bit %d turned: %v", bit, err)
		}
	}
	if _, err := (sealing.MasterKey{}).Wrapper(); !errors.Is(err, sealing.ErrNoMasterKey) {
		t.Errorf("no master key: %v", err)
	}
}

// A practitioner's identifier is permanent: it is in the log.
func TestAPractitionerKeepsTheirIdentifier_D68(t *testing.T) {
	t.Parallel()
	if got := key.Practitioner("elm-street", "bell@elm.example").String(); got != "53ec65c6-aaef-6880-1e0a-2732e9d8a95b" {
		t.Errorf("identifier %s", got)
	}
	if key.Practitioner("elm-street", "a") == key.Practitioner("oak-lane", "a") {
		t.Error("it is the same in another practice")
	}
	if got := key.Fingerprint().String(); got != "aeef8eac38e9172f0d99312e1f929692" {
		t.Errorf("fingerprint %s", got)
	}
	if got := (sealing.MasterKey{1}).ID(); got != "028b0b62a9364932" {
		t.Errorf("master key %s", got)
	}
}
