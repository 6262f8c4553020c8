package projections_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/commands"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// desk is the availability of practices on a real database, and its clock.
type desk struct {
	projections.Availability
	store *eventstore.Store
	now   time.Time
}

// newDesk has a practice in London, and one in Kathmandu.
func newDesk(t *testing.T) *desk {
	t.Helper()
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	pool := postgrestest.New(t).Pool(t)
	d := &desk{Availability: projections.Availability{DB: pool}, now: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	d.store = &eventstore.Store{DB: postgres.On(pool), Codec: codec, AtOnce: projections.AtOnce(), Now: func() time.Time { return d.now }}
	d.happens(t, practice.StreamOf("london"), practice.Registered{Name: "London", TimeZone: "Europe/London"})
	d.happens(t, practice.StreamOf("kathmandu"), practice.Registered{Name: "Kathmandu", TimeZone: "Asia/Kathmandu"})
	return d
}

func (d *desk) happens(t *testing.T, stream event.Stream, events ...event.Event) {
	t.Helper()
	history, err := d.store.Load(t.Context(), stream)
	if err == nil {
		_, err = d.store.Append(t.Context(), event.Change{Stream: stream, Expected: len(history), Events: events})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (d *desk) receptions(t *testing.T, tenant string) practice.Receptions {
	t.Helper()
	found, err := d.Receptions(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (d *desk) medical(t *testing.T) practice.Reception {
	t.Helper()
	return d.receptions(t, "london").Reception(request.Medical)
}

var monday = hours.Week{{Day: time.Monday, Open: 8 * 60, Close: 12 * 60}, {Day: time.Monday, Open: 22 * 60, Close: 6 * 60}}

func TestAPracticeThatHasSetNothingIsOpen(t *testing.T) {
	t.Parallel()
	d := newDesk(t)

	found := d.medical(t)
	if found.Zone.String() != "Europe/London" || found.Availability(d.now).Status != practice.TypeOpen {
		t.Errorf("got %+v", found)
	}
	if nobodys := d.receptions(t, "nobodys"); nobodys.Zone != nil {
		t.Errorf("a practice that does not exist has %+v", nobodys)
	}
}

func TestReadModelHoldsIntake(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	hour := d.now.Add(time.Hour)
	medical := practice.IntakeStream("london", request.Medical)

	d.happens(t, medical, practice.RequestTypeSwitchedOff{RequestType: request.Medical},
		practice.RequestTypePaused{RequestType: request.Medical, Until: hour},
		practice.OpeningHoursSet{RequestType: request.Medical, Hours: monday})
	want := practice.Intake{SwitchedOff: true, Paused: true, PausedUntil: hour, Hours: monday}
	if diff := cmp.Diff(want, d.medical(t).Intake); diff != "" {
		t.Errorf("all set (-want +got):\n%s", diff)
	}

	d.happens(t, medical, practice.RequestTypeSwitchedOn{RequestType: request.Medical},
		practice.RequestTypePaused{RequestType: request.Medical})
	want = practice.Intake{Paused: true, Hours: monday}
	if diff := cmp.Diff(want, d.medical(t).Intake); diff != "" {
		t.Errorf("a pause without end (-want +got):\n%s", diff)
	}

	d.happens(t, medical, practice.RequestTypeResumed{RequestType: request.Medical},
		practice.OpeningHoursSet{RequestType: request.Medical})
	if diff := cmp.Diff(practice.Intake{}, d.medical(t).Intake); diff != "" {
		t.Errorf("all undone (-want +got):\n%s", diff)
	}
}

func TestRequestTypesAreAllListedInOrder_D24(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	tonight := time.Date(2026, 3, 2, 16, 15, 0, 0, time.UTC) // 22:00 in Kathmandu

	d.happens(t, practice.IntakeStream("kathmandu", request.Admin), practice.OpeningHoursSet{RequestType: request.Admin, Hours: monday})
	d.happens(t, practice.IntakeStream("london", request.Medical), practice.RequestTypeSwitchedOff{RequestType: request.Medical})

	for tenant, want := range map[string][]practice.Availability{
		"london":    {{Type: request.Medical, Status: practice.TypeDisabled}, {Type: request.Admin, Status: practice.TypeOpen}},
		"kathmandu": {{Type: request.Medical, Status: practice.TypeOpen}, {Type: request.Admin, Status: practice.TypeClosed, NextOpening: tonight}},
		"nobodys":   nil,
	} {
		got, err := d.RequestTypes(t.Context(), tenant, d.now)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at %s (-want +got):\n%s", tenant, diff)
		}
	}
}

// Postgres merges and cuts closures on one side, the aggregate on the other. Both must
// have the same result.
func TestClosuresAgreeWithAggregate(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	random := rand.New(rand.NewPCG(15, 23))
	later := func() time.Time { return d.now.Add(time.Duration(random.IntN(24)) * time.Hour) }

	for range 150 {
		d.now = d.now.Add(time.Duration(random.IntN(3)) * time.Hour)
		changeClosures(t, d, random.IntN(10), later)
		closures, err := commands.Load[practice.Closures](t.Context(), d.store, practice.ClosuresStream("london"))
		if err != nil {
			t.Fatal(err)
		}
		got := d.medical(t)
		want := practice.Reception{Type: request.Medical, Closures: closures, Zone: time.UTC}
		for at := d.now; at.Before(d.now.Add(60 * time.Hour)); at = at.Add(time.Hour) {
			if diff := cmp.Diff(want.Availability(at), got.Availability(at)); diff != "" {
				t.Fatalf("at %s (-aggregate +read model):\n%s\n%v\n%v", at, diff, closures, got.Closures)
			}
		}
		if len(got.Closures) > 12 {
			t.Fatalf("%d closures are read: those that are over are not forgotten", len(got.Closures))
		}
	}
}

func changeClosures(t *testing.T, d *desk, dice int, later func() time.Time) {
	t.Helper()
	clock := func() time.Time { return d.now }
	reopen := commands.Desk{Store: d.store, Now: clock}
	c := commands.ClosePractice{Tenant: "london", From: later()}
	if dice > 0 {
		c.Until = c.From.Add(later().Sub(d.now) / 2).Add(time.Hour)
	}
	err := reopen.ReopenPractice(t.Context(), commands.ReopenPractice{Tenant: "london", From: later()})
	if err == nil && dice < 7 {
		err = commands.Desk{Store: d.store, Now: clock}.ClosePractice(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
}
