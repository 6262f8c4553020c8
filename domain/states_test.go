package domain_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/audit"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/consultation"
	"frontdesk/domain/display"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/signingkey"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// stateOf is a state of the domain with its test.
type stateOf struct {
	name       string
	events     []event.Event
	foldsAlike func(*testing.T, []event.Event)
	changes    func(before []event.Event, e event.Event) bool
}

func of[S event.State[S]]() stateOf {
	var zero S
	return stateOf{reflect.TypeFor[S]().String(), zero.Events(), foldsAlike[S], func(before []event.Event, e event.Event) bool {
		state := event.Fold[S](before...)
		return !reflect.DeepEqual(state, state.Apply(e))
	}}
}

// states are all states of the domain.
var states = []stateOf{
	of[application.Application](), of[application.Asked](), of[appointment.Appointment](), of[authorisation.Authorisation](), of[display.Display](),
	of[patient.Patient](), of[practice.Closures](), of[practice.Enablement](), of[practice.Information](), of[practice.Intake](), of[practice.NoteTemplates](), of[practice.Practice](), of[practitioner.Practitioner](),
	of[record.Glass](), of[record.Note](), of[request.Request](), of[signingkey.Ring](), of[site.Room](), of[site.Site](),
	of[staff.Member](), of[staff.PasskeyRule](), of[staff.Session](), of[staff.Teams](), of[staff.Watch](),
}

// stateless are the events that each begin a stream without decisions.
var stateless = []event.Event{
	audit.Archived{}, audit.Queried{}, consultation.Started{}, epoch.Begun{}, record.CareRecordOpened{}, request.Opened{}, request.AttachmentOpened{},
}

// Every event has one kind of stream, and changes no other kind's state.
func TestEveryEventHasOneKindOfStream(t *testing.T) {
	t.Parallel()
	kinds := map[string][]string{}
	for _, state := range append(states, stateOf{name: "none", events: stateless}) {
		for _, e := range state.events {
			kinds[e.EventName()] = append(kinds[e.EventName()], state.name)
		}
	}
	for _, e := range goldenEvents(t) {
		if name := e.EventName(); len(kinds[name]) != 1 {
			t.Errorf("%s is in the streams of %v", name, kinds[name])
		}
	}
	for _, state := range states {
		for _, e := range goldenEvents(t) {
			if !slices.Contains(kinds[e.EventName()], state.name) && (state.changes(nil, e) || state.changes(state.events, e)) {
				t.Errorf("%s is changed by %s, which its stream may not hold", state.name, e.EventName())
			}
		}
	}
}

// Decisions see events with hidden personal values. So no state may depend on them, in
// any order of events.
func TestNoStateNeedsPersonalData_D68(t *testing.T) {
	t.Parallel()
	golden := goldenEvents(t)
	for _, state := range states {
		state.foldsAlike(t, golden)
	}
}

// goldenEvents are all events of the golden files.
func goldenEvents(t *testing.T) (all []event.Event) {
	t.Helper()
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range domain.Events() {
		files, err := filepath.Glob(filepath.Join("*", "testdata", e.EventName()+".json"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: %v, %v", e.EventName(), files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		read, err := codec.Decode(e.EventName(), text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, read)
	}
	return all
}

// foldsAlike folds all events, then each pair, with and without hidden values.
func foldsAlike[S event.State[S]](t *testing.T, golden []event.Event) {
	t.Helper()
	same := func(history ...event.Event) {
		hidden := make([]event.Event, len(history))
		for n, e := range history {
			hidden[n] = event.Hide(e)
		}
		whole, blank := event.Fold[S](history...), event.Fold[S](hidden...)
		if reflect.DeepEqual(whole, blank) {
			return
		}
		if diff := cmp.Diff(whole, blank, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			t.Errorf("%T after %d events, from %s on (-whole +hidden):\n%s", whole, len(history), history[0].EventName(), diff)
		}
	}
	same(golden...)
	for _, first := range golden {
		for _, second := range golden {
			same(first, second)
		}
	}
}
