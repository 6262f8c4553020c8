package event_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// visited has personal fields in every possible place.
type visited struct {
	Patient uuid.UUID `json:"patient"`
	Note    string    `json:"note" personal:"patient"`
	Place   string    `json:"place"`
	By      guest     `json:"by"`
	With    *guest    `json:"with,omitempty"`
	Also    []guest   `json:"also"`
	Later   []*guest  `json:"later,omitempty"`
}

type guest struct {
	Name string `json:"name" personal:"patient"`
	Seat int    `json:"seat"`
	Pet  *pet   `json:"pet,omitempty"`
}

type pet struct {
	Name string `json:"name" personal:"patient"`
}

func (visited) EventName() string      { return "test.visited.v1" }
func (v visited) PatientID() uuid.UUID { return v.Patient }

// asked has fields of a request's holder.
type asked struct {
	Patient uuid.UUID `json:"patient"`
	Answers []answer  `json:"answers"`
}

type answer struct {
	Text string `json:"text" personal:"request"`
}

func (asked) EventName() string      { return "test.asked.v1" }
func (a asked) PatientID() uuid.UUID { return a.Patient }

var (
	ann    = uuid.MustParse("0190c7a2-0000-7000-8000-00000000000a")
	stream = event.Stream{Tenant: "elm-street", ID: uuid.MustParse("0190c7a2-0000-7000-8000-00000000000b")}
)

// acted names an actor in its data.
type acted struct {
	By event.Actor `json:"by"`
}

func (acted) EventName() string { return "test.told.v1" }

// A practitioner that no act claim of the metadata names has no key, and is not stored,
// not even in clear.
func TestOnlyActClaimNamesPractitioner_D68(t *testing.T) {
	t.Parallel()
	codec := personalCodec(t)
	bell := event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Bell"}}
	for _, by := range []event.Actor{event.Staff(ann), {Kind: event.ByApplication, OnBehalfOf: &event.OnBehalfOf{}}} {
		e := acted{event.Application(ann, "", &bell)}
		stored, _, err := codec.Split(event.Recorded{Event: e, Stream: stream, Metadata: event.Metadata{Actor: by}})
		if err == nil || strings.Contains(err.Error(), "Bell") {
			t.Errorf("by %s: stored as %s, %v; want an error without names", by, stored.Data, err)
		}
	}
}

func personalCodec(t testing.TB) *event.Codec {
	t.Helper()
	codec, err := event.NewCodec(visited{}, asked{}, acted{})
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

// happened are events with values in many places, and with values that look like the
// placeholders.
func happened() []event.Recorded {
	known := event.Metadata{
		Actor: event.Application(uuid.Max, "application-restricted", &event.OnBehalfOf{
			Practitioner: event.Practitioner{Name: "Dr Bell", Email: "Bell@elm.example"}, Organisation: event.Organisation{Name: "Elm Street"},
		}),
		Idempotency: event.Idempotency{Key: event.Digest{7}, Body: strings.Repeat("0f", 32)},
	}
	unnamed := event.Metadata{Actor: event.Actor{Kind: event.ByApplication, ID: "7", OnBehalfOf: &event.OnBehalfOf{}}}
	same := &guest{"Bill", 2, &pet{"Rex"}}
	var all []event.Recorded
	for _, metadata := range []event.Metadata{known, unnamed, {Actor: event.Service("test")}} {
		for _, e := range []event.Event{
			visited{},
			visited{Patient: ann},
			visited{Patient: ann, Note: "a", Place: "here", By: guest{"Bill", 1, nil}},
			visited{Patient: ann, Note: event.Hidden, By: guest{event.Erased, 1, &pet{}}, Also: []guest{}},
			visited{Patient: ann, Note: "a", With: same, Also: []guest{{"a", 1, nil}, {}, {"a", 2, &pet{"a"}}}, Later: []*guest{same, nil, same}},
			visited{Note: "of no holder", Also: []guest{{"Bill", 1, nil}}},
			asked{Patient: ann, Answers: []answer{{"ö <&> \u2028"}, {""}, {`"],["`}}},
			asked{Answers: nil},
		} {
			all = append(all, event.Recorded{Event: e, ID: uuid.New(), Stream: stream, Version: 3, Metadata: metadata})
		}
	}
	return all
}

func TestSplitAndJoinGiveBackEveryEvent_D68(t *testing.T) {
	t.Parallel()
	codec := personalCodec(t)
	for n, r := range happened() {
		before, _ := json.Marshal(r)
		stored, personal, err := codec.Split(r)
		if err != nil {
			t.Fatal(err)
		}
		if after, _ := json.Marshal(r); string(after) != string(before) {
			t.Errorf("event %d was changed from %s to %s", n, before, after)
		}
		back, err := codec.Join(stored, personal)
		if diff := cmp.Diff(r, back); err != nil || diff != "" {
			t.Errorf("event %d: %v (-want +got):\n%s", n, err, diff)
		}
		if len(personal) == 0 {
			continue
		}
		for _, value := range []string{"Bill", "Rex", "Bell", "0f0f", "<&>"} {
			if r.Event.(event.Patient).PatientID() == ann && strings.Contains(string(stored.Data)+string(stored.Metadata), value) {
				t.Errorf("event %d still holds %s: %s %s", n, value, stored.Data, stored.Metadata)
			}
		}
	}
}

func TestEachHolderIsJoinedAlone_D68(t *testing.T) {
	t.Parallel()
	codec := personalCodec(t)
	stored, personal, err := codec.Split(happened()[6])
	if err != nil || len(personal) != 2 || personal[0].Of.Kind != event.OfPractitioner || personal[1].Of != (event.Holder{Kind: event.OfRequest, ID: stream.ID}) {
		t.Fatalf("%v, %v; want the practitioner, and the request with the digest of its body", personal, err)
	}
	if got := personal[0]; got.Known != "bell@elm.example" || len(got.Values) != 2 {
		t.Errorf("practitioner %+v", got)
	}
	if got := personal[1].Values; len(got) != 3 || got[2] != strings.Repeat("0f", 32) {
		t.Errorf("request %q", got)
	}
	text := func(personal ...event.Personal) string {
		back, err := codec.Join(stored, personal)
		if err != nil {
			t.Error(err)
		}
		return back.Event.(asked).Answers[0].Text + ", " + back.Metadata.Actor.OnBehalfOf.Practitioner.Name
	}
	destroyed := event.Personal{Of: personal[1].Of, Erased: true}
	for got, want := range map[string]string{
		text():                       "[personal], [personal]",
		text(personal[0]):            "[personal], Dr Bell",
		text(personal[1]):            "ö <&> \u2028, [personal]",
		text(personal[0], destroyed): "[erased], Dr Bell",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestHideLeavesNothingPersonal_D68(t *testing.T) {
	t.Parallel()
	bill := &guest{"Bill", 1, nil}
	got := event.Hide(visited{Note: "a", Place: "here", Later: []*guest{bill, nil}})
	want := visited{Note: event.Hidden, Place: "here", Later: []*guest{{event.Hidden, 1, nil}, nil}}
	if diff := cmp.Diff(event.Event(want), got); diff != "" || bill.Name != "Bill" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Values that do not fit are refused, and never put into another field.
func FuzzJoinRefusesOtherValues(f *testing.F) {
	f.Add(0, 0, 5)
	f.Add(3, 1, 0)
	f.Add(4, 2, 9)
	f.Fuzz(func(t *testing.T, n, kind, values int) {
		codec, all := personalCodec(t), happened()
		stored, personal, err := codec.Split(all[uint(n)%uint(len(all))])
		if err != nil {
			t.Fatal(err)
		}
		of := event.Holder{Kind: event.HolderKind(kind%4) + 1, ID: ann}
		had := 0
		for _, p := range personal {
			if p.Of.Kind == of.Kind {
				had = len(p.Values)
			}
		}
		given := int(uint(values) % 16)
		_, err = codec.Join(stored, []event.Personal{{Of: of, Values: make([]string, given)}})
		if (err == nil) != (given == had) || err != nil && !errors.Is(err, event.ErrOtherValues) {
			t.Errorf("%d values where %d fit: %v", given, had, err)
		}
	})
}
