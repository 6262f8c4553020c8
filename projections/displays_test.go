package projections_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

var (
	addedDisplay = display.Added{
		Display: display.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e1")}, Name: "Waiting room", Site: main,
		Naming: display.Initials, Link: staff.Link{Digest: event.Digest{1}, ExpiresAt: noon.Add(staff.LinkLifetime)},
	}
	openDisplay = display.Added{Display: display.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e2")}, Name: "Hall", Site: main, Naming: display.Number, Link: addedDisplay.Link}
	goneDisplay = display.Added{Display: display.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e3")}, Name: "Porch", Site: main, Naming: display.Number, Link: addedDisplay.Link}

	connectedDisplay = display.Connected{Display: addedDisplay.Display, Link: addedDisplay.Digest, Session: event.Digest{2}}
)

// A display is found by its link until a screen has opened it, then by its session, and
// not once it is removed; and never at another practice.
func TestDisplayFoundByLinkOrSession_D88(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	d.wantNamed(t)
	displays, id := projections.Displays{DB: d.Pool}, addedDisplay.Display
	last := addedDisplay.ExpiresAt.Add(-time.Microsecond)
	byLink := func(when, tenant string, link event.Digest, now time.Time, want error) {
		t.Helper()
		if found, err := displays.ByLink(t.Context(), tenant, id, link, now); !errors.Is(err, want) || err == nil && found.Name != "Waiting room" {
			t.Errorf("%s, by link: %+v, %v", when, found, err)
		}
	}
	bySession := func(when, tenant string, session event.Digest, after time.Time, want error) {
		t.Helper()
		if found, err := displays.BySession(t.Context(), tenant, id, session, after); !errors.Is(err, want) || err == nil && found.Site != main {
			t.Errorf("%s, by session: %+v, %v", when, found, err)
		}
	}
	stream := display.StreamOf(elm, id)
	d.Happens(t, stream, addedDisplay)
	byLink("added", elm, event.Digest{1}, last, nil)
	byLink("late", elm, event.Digest{1}, addedDisplay.ExpiresAt, staff.ErrLink)
	byLink("elsewhere", oak, event.Digest{1}, last, staff.ErrLink)
	byLink("another", elm, event.Digest{2}, last, staff.ErrLink)
	bySession("added", elm, event.Digest{2}, noon, display.ErrUnknown)

	d.Happens(t, stream, connectedDisplay)
	connected := d.At
	byLink("connected", elm, event.Digest{1}, last, staff.ErrLink)
	bySession("connected", elm, event.Digest{2}, connected.Add(-time.Microsecond), nil)
	bySession("too long ago", elm, event.Digest{2}, connected, display.ErrUnknown)
	bySession("elsewhere", oak, event.Digest{2}, noon, display.ErrUnknown)
	bySession("another", elm, event.Digest{1}, noon, display.ErrUnknown)
	seen := connected.Add(time.Hour)
	if _, err := d.Pool.Exec(t.Context(), `INSERT INTO display_sights VALUES ($1, $2, $3)`, elm, id, seen); err != nil {
		t.Fatal(err)
	}
	bySession("seen", elm, event.Digest{2}, connected, nil)

	want := []projections.Display{{
		Display: id, Name: "Waiting room", Site: main, SiteName: "Elm Street", Naming: display.Initials,
		LinkUntil: addedDisplay.ExpiresAt, ConnectedAt: &connected, SeenAt: &seen,
	}}
	got, err := displays.List(t.Context(), elm)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := displays.List(t.Context(), oak); err != nil || len(got) != 0 {
		t.Errorf("elsewhere: %v, %v", got, err)
	}

	d.Happens(t, stream, display.Removed{Display: id, Site: main})
	bySession("removed", elm, event.Digest{2}, noon, display.ErrUnknown)
	if got, err := displays.List(t.Context(), elm); err != nil || len(got) != 0 {
		t.Errorf("removed: %v, %v", got, err)
	}
}

// wantNamed fails unless a board shows no more of patients than its setting allows.
// Numbers decrypt no name.
func (d *day) wantNamed(t *testing.T) {
	t.Helper()
	d.happened(t.Context(), t, elm, subject.Appointment.UUID, 0, booked, calledIn)
	opens := &opener{Opener: d.Keys}
	board := projections.CallIns{DB: d.Pool, Names: projections.Names{DB: d.Pool, Opens: opens}}
	for naming, want := range map[display.Naming]string{
		display.FullName: "Ann Archer", display.Initials: "A A", display.Number: subject.Appointment.Number(),
	} {
		opens.asked = false
		got, err := board.Current(t.Context(), elm, main, naming, noon, 12)
		if err != nil || len(got) != 1 || got[0].Called != want || got[0].Patient != ann {
			t.Errorf("%s: %+v, %v", naming, got, err)
		}
		if opens.asked != (naming != display.Number) {
			t.Errorf("%s: names were opened: %v", naming, opens.asked)
		}
	}
}

// The list of who is called in is complete at once: it does not wait for the feed.
func TestCurrentCallIns_D147(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	board := projections.CallIns{DB: d.Pool, Names: d.Names()}
	current := func(at site.ID, since time.Time, most int) (names []string) {
		t.Helper()
		found, err := board.Current(t.Context(), elm, at, display.FullName, since, most)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found {
			names = append(names, c.Called+" at "+c.SiteName+" in "+c.RoomName)
		}
		return names
	}
	want := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	want("before", current(site.ID{}, noon, 10))
	d.happened(t.Context(), t, elm, subject.Appointment.UUID, 0, booked, calledIn)
	shown := current(site.ID{}, noon, 10)
	if len(shown) != 1 || !strings.HasPrefix(shown[0], "Ann Archer at ") {
		t.Fatalf("called in are %q", shown)
	}
	want("at its site", current(main, noon, 10), shown...)
	want("at another site", current(site.ID{UUID: event.NewID()}, noon, 10))
	want("since later", current(site.ID{}, calledIn.CalledInAt.Add(time.Microsecond), 10))
	want("none of them", current(site.ID{}, noon, 0))
	if other, err := board.Current(t.Context(), oak, site.ID{}, display.FullName, noon, 10); err != nil || len(other) > 0 {
		t.Errorf("at another practice: %v, %v", other, err)
	}
	d.happened(t.Context(), t, elm, subject.Appointment.UUID, 2, appointment.CallInRemoved{Subject: subject, Reason: appointment.Cleared, RemovedAt: noon})
	want("removed", current(site.ID{}, noon, 10))
	d.happened(t.Context(), t, elm, subject.Appointment.UUID, 3, calledIn)
	want("called in again", current(site.ID{}, noon, 10), shown...)
	d.DestroyKey(t, ann)
	board.Names = d.Names()
	want("without the key", current(site.ID{}, noon, 10))
}

// opener records whether it was called.
type opener struct {
	projections.Opener
	asked bool
}

func (o *opener) Open(ctx context.Context, events []event.Stored) ([]event.Recorded, error) {
	o.asked = true
	return o.Opener.Open(ctx, events)
}
