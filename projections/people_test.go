package projections_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// All staff of a practice, as each of their events leaves them, and none of another
// practice.
func TestPeopleOfAPractice_D64(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	member := staff.StreamOf(elm, lee)
	link := staff.Link{Digest: event.Digest{1}, ExpiresAt: noon.Add(staff.LinkLifetime)}
	want := projections.Person{Staff: lee, Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example", Roles: staff.Roles{staff.Manager}, Active: true}
	becomes := func(event string, change func(*projections.Person)) {
		t.Helper()
		change(&want)
		got, err := projections.People{DB: d.pool}.Of(t.Context(), elm)
		if diff := cmp.Diff([]projections.Person{want}, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", event, err, diff)
		}
	}
	d.happens(t, staff.StreamOf(oak, kim), registeredLee)
	d.happens(t, member, registeredLee)
	becomes("registered", func(*projections.Person) {})
	d.happens(t, member, staff.RolesSet{Roles: staff.Roles{staff.Clinician}}, staff.Invited{Link: link})
	becomes("invited", func(p *projections.Person) { p.Roles, p.LinkUntil = staff.Roles{staff.Clinician}, link.ExpiresAt })
	d.happens(t, member, staff.PasswordSet{Credential: staff.CredentialID{UUID: event.NewID()}, Link: link.Digest})
	becomes("signs in", func(p *projections.Person) { p.SignsIn, p.LinkUntil = true, time.Time{} })
	d.happens(t, member, staff.Reset{Link: link})
	becomes("reset", func(p *projections.Person) { p.SignsIn, p.LinkUntil = false, link.ExpiresAt })
	d.happens(t, member, staff.PasswordSet{Credential: staff.CredentialID{UUID: event.NewID()}}, staff.Deactivated{})
	becomes("left", func(p *projections.Person) { p.Active, p.LinkUntil = false, time.Time{} })
	d.happens(t, member, staff.Reactivated{}, staff.Invited{Link: link})
	becomes("back", func(p *projections.Person) { p.Active, p.LinkUntil = true, link.ExpiresAt })
}

func TestFormerStaffAreListedLast(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	for _, username := range []string{"b", "c", "a"} {
		d.happens(t, event.Stream{Tenant: elm, ID: event.DerivedID("test", username)}, staff.Registered{Username: username, Name: username, Email: "a@b.example"})
	}
	d.happens(t, event.Stream{Tenant: elm, ID: event.DerivedID("test", "a")}, staff.Deactivated{})
	people, err := projections.People{DB: d.pool}.Of(t.Context(), elm)
	var got []string
	for _, p := range people {
		got = append(got, p.Username)
	}
	if diff := cmp.Diff([]string{"b", "c", "a"}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestTheHolderOfALink_D64(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	link := staff.Link{Digest: event.Digest{1}, ExpiresAt: noon.Add(time.Hour)}
	d.happens(t, staff.StreamOf(elm, lee), registeredLee, staff.Invited{Link: link})
	d.happens(t, staff.StreamOf(oak, kim), registeredLee)
	find := func(tenant string, digest event.Digest, now time.Time, want commands.LinkHolder, refusal error) {
		t.Helper()
		got, err := projections.Links{DB: d.pool}.Holder(t.Context(), tenant, digest, now)
		if got != want || !errors.Is(err, refusal) {
			t.Errorf("at %v: %+v, %v", now, got, err)
		}
	}
	holder := commands.LinkHolder{Staff: lee, Username: "dr.lee", Name: "Dr Lee"}
	last := link.ExpiresAt.Add(-time.Microsecond)
	find(elm, link.Digest, last, holder, nil)
	find(elm, link.Digest, link.ExpiresAt, commands.LinkHolder{}, staff.ErrLink)
	find(oak, link.Digest, last, commands.LinkHolder{}, staff.ErrLink)
	find(elm, event.Digest{2}, last, commands.LinkHolder{}, staff.ErrLink)
	d.happens(t, staff.StreamOf(elm, lee), staff.Deactivated{})
	find(elm, link.Digest, last, commands.LinkHolder{}, staff.ErrLink)
}
