package display_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

var (
	monday = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	screen = display.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e1")}
	link   = staff.Link{Digest: staff.DigestOfLink("a secret"), ExpiresAt: monday.Add(staff.LinkLifetime)}
	added  = display.Added{
		Display: screen, Name: "Waiting room", Site: site.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c1")},
		Naming: display.Initials, Link: link,
	}
	connected = display.Connected{Display: screen, Link: link.Digest, Session: display.DigestOf("a token")}
	removed   = display.Removed{Display: screen, Site: added.Site}

	given = eventtest.Given[display.Display]
)

func TestADisplayIsAddedOnceUnderAName_D88(t *testing.T) {
	t.Parallel()
	add := func(edit func(*display.Added)) func(display.Display) ([]event.Event, error) {
		wanted := added
		edit(&wanted)
		return func(d display.Display) ([]event.Event, error) { return d.Add(wanted) }
	}
	given().When(add(func(a *display.Added) { a.Name = " Waiting room " })).Then(t, added)
	given().When(add(func(a *display.Added) { a.Name = " \t" })).Refuses(t, display.ErrNameless)
	given().When(add(func(a *display.Added) { a.Naming = "" })).Refuses(t, display.ErrUnknownNaming)
	given().When(add(func(a *display.Added) { a.Naming = "nickname" })).Refuses(t, display.ErrUnknownNaming)
	same := add(func(*display.Added) {})
	given(added).When(same).Refuses(t, display.ErrAdded)
	given(added, connected, removed).When(same).Refuses(t, display.ErrAdded)
}

func TestALinkConnectsOneScreenOnceAndInTime_D88(t *testing.T) {
	t.Parallel()
	by := func(digest event.Digest, now time.Time) func(display.Display) ([]event.Event, error) {
		return func(d display.Display) ([]event.Event, error) { return d.Connect(digest, connected.Session, now) }
	}
	given(added).When(by(link.Digest, link.ExpiresAt.Add(-time.Microsecond))).Then(t, connected)

	given(added).When(by(link.Digest, link.ExpiresAt)).Refuses(t, staff.ErrLink)
	given(added).When(by(staff.DigestOfLink("another"), monday)).Refuses(t, staff.ErrLink)
	given(added, connected).When(by(link.Digest, monday)).Refuses(t, staff.ErrLink)
	given(added, removed).When(by(link.Digest, monday)).Refuses(t, staff.ErrLink)
	given(added, connected).When(by(event.Digest{}, monday)).Refuses(t, staff.ErrLink)
	given().When(by(event.Digest{}, time.Time{}.Add(-time.Second))).Refuses(t, staff.ErrLink) // a missing link is not the zero link
	given().When(by(link.Digest, monday)).Refuses(t, staff.ErrLink)
}

func TestADisplayIsRemovedForGood_D88(t *testing.T) {
	t.Parallel()
	given(added).When(display.Display.Remove).Then(t, removed)
	given(added, connected).When(display.Display.Remove).Then(t, removed)
	given(added, removed).When(display.Display.Remove).Then(t)
	given().When(display.Display.Remove).Refuses(t, display.ErrUnknown)
}

func TestATokenIsNeverTheSame_D88(t *testing.T) {
	t.Parallel()
	one, token := display.NewSession()
	two, another := display.NewSession()
	if one == two || token == another || len(token) != 52 || one != display.DigestOf(token) {
		t.Errorf("tokens %q and %q, digests %s and %s", token, another, one, two)
	}
}

func TestHowPeopleAreCalled_D88(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		naming     display.Naming
		name, want string
	}{
		{display.FullName, "Ann Archer", "Ann Archer"},
		{display.Initials, "Ann Archer", "A A"},
		{display.Initials, " ann-marie  o'Neil\tvan Dyk ", "A O V D"},
		{display.Initials, "(Élodie) Łuk 3rd", "É Ł R"},
		{display.Initials, "王 小明", "王 小"},
		{display.Initials, "?? 7", "417 205"},
		{display.Initials, "", "417 205"},
		{display.Number, "Ann Archer", "417 205"},
		{"", "Ann Archer", "417 205"},
	} {
		if got := c.naming.Format(c.name, "417 205"); got != c.want {
			t.Errorf("%q by %q: %q, want %q", c.name, c.naming, got, c.want)
		}
	}
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, added, connected, removed)
}
