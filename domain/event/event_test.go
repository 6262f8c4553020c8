package event_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

type total struct{ sum int }

func (t total) Apply(e event.Event) total {
	if counted, ok := e.(eventtest.Counted); ok {
		t.sum += counted.N
	}
	return t
}

func (total) Events() []event.Event { return []event.Event{eventtest.Counted{}} }

func TestFoldAppliesTheHistoryInOrder(t *testing.T) {
	t.Parallel()
	if got := event.Fold[total](eventtest.Counted{N: 1}, eventtest.Noted{}, eventtest.Counted{N: 2}); got.sum != 3 {
		t.Errorf("sum = %d, want 3", got.sum)
	}
	if got := event.Fold[total](); got.sum != 0 {
		t.Errorf("the state of an empty stream is %v", got)
	}
}

func TestForeignEvent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		history []event.Event
		want    event.Event
	}{
		"no history": {},
		"own":        {[]event.Event{eventtest.Counted{N: 1}, eventtest.Counted{N: 2}}, nil},
		"mixed":      {[]event.Event{eventtest.Counted{N: 1}, eventtest.Noted{Note: "x"}}, eventtest.Noted{Note: "x"}},
		"foreign":    {[]event.Event{eventtest.Noted{}}, eventtest.Noted{}},
	} {
		if got := event.Foreign[total](test.history...); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

type other struct{}

func (other) EventName() string { return eventtest.Counted{}.EventName() }

func TestCodecRefusesUnreadableEvents(t *testing.T) {
	t.Parallel()
	if _, err := event.NewCodec(eventtest.Counted{}, other{}); err == nil {
		t.Error("two types share a name")
	}
	codec, err := event.NewCodec(eventtest.Counted{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := codec.Encode(eventtest.Noted{}); !errors.Is(err, event.ErrUnknownName) {
		t.Errorf("encode: %v", err)
	}
	if _, _, err := codec.Encode(other{}); !errors.Is(err, event.ErrUnknownName) {
		t.Errorf("encode another type under a known name: %v", err)
	}
	if _, err := codec.Decode("test.later.v2", []byte(`{}`)); !errors.Is(err, event.ErrUnknownName) {
		t.Errorf("decode: %v", err)
	}
	if _, err := codec.Decode("test.counted.v1", []byte(`{"n": "x"}`)); err == nil {
		t.Error("broken data decodes")
	}
}

func TestRedactedHidesOnlyPersonalData(t *testing.T) {
	t.Parallel()
	metadata := event.Metadata{Actor: event.Actor{Kind: event.ByApplication, ID: "a1", OnBehalfOf: &event.OnBehalfOf{
		Practitioner: event.Practitioner{Name: "Dr Lee", Email: "lee@elm.example"},
		Organisation: event.Organisation{Name: "Elm Street"},
	}}}
	type line struct { // as in a page that shows an event with other data
		eventtest.Noted
		Place int `json:"place"`
	}
	noted := eventtest.Noted{Note: "Dr Lee"}
	for _, hidden := range []any{metadata, []event.Metadata{metadata}, &metadata, noted, line{Noted: noted}, []*line{{Noted: noted}}} {
		got, err := event.Redacted(hidden)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(got), "Lee") || strings.Contains(string(got), "lee@") {
			t.Errorf("personal data is shown: %s", got)
		}
		if !strings.Contains(string(got), event.Hidden) {
			t.Errorf("nothing says that something is hidden: %s", got)
		}
	}
	got, _ := event.Redacted(metadata)
	for _, kept := range []string{`"a1"`, `"Elm Street"`} {
		if !strings.Contains(string(got), kept) {
			t.Errorf("%s is missing from %s", kept, got)
		}
	}
	if strings.Contains(string(got), "gmcNumber") {
		t.Errorf("an absent field appears: %s", got)
	}
}

func TestDerivedIDDependsOnEveryPart(t *testing.T) {
	t.Parallel()
	seen := map[uuid.UUID]bool{}
	for _, id := range []uuid.UUID{
		event.DerivedID("a"), event.DerivedID("b"), event.DerivedID("a", "b"), event.DerivedID("a", "b", "c"),
		event.DerivedID("a", "bc"), event.DerivedID("ab", "c"), event.DerivedID("a", "c", "b"),
	} {
		if seen[id] {
			t.Errorf("%s stands for two things", id)
		}
		seen[id] = true
	}
	// Permanent: stored streams use it.
	if got, want := event.DerivedID("a", "b").String(), "68cb9110-84be-5e7e-a24b-d855ae7afad6"; got != want {
		t.Errorf("the derived id has changed: %s, want %s", got, want)
	}
}
