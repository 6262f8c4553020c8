package domain_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/signingkey"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// Decisions are taken on events whose personal values are hidden. So no state may depend
// on them, in any order of the events that there are.
func TestNoStateNeedsPersonalData_D68(t *testing.T) {
	t.Parallel()
	golden := goldenEvents(t)
	foldsAlike[application.Application](t, golden)
	foldsAlike[appointment.Appointment](t, golden)
	foldsAlike[authorisation.Authorisation](t, golden)
	foldsAlike[patient.Patient](t, golden)
	foldsAlike[practice.Closures](t, golden)
	foldsAlike[practice.Intake](t, golden)
	foldsAlike[practice.Practice](t, golden)
	foldsAlike[signingkey.Ring](t, golden)
	foldsAlike[site.Room](t, golden)
	foldsAlike[site.Site](t, golden)
	foldsAlike[staff.Member](t, golden)
	foldsAlike[staff.Session](t, golden)
	foldsAlike[staff.Watch](t, golden)
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

// foldsAlike folds all events, then each pair, once as they are and once hidden.
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
