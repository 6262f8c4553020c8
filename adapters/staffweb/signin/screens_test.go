package signin_test

import (
	"testing"
	"time"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/display"
)

// A screen stays a display while it is active from time to time, at its own practice,
// until the display is removed.
func TestScreenStaysDisplayWhileActive_D88(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	desk := commands.Desk{Store: s.store, Now: s.Now}
	at, err := desk.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Main"})
	must(t, err)
	given, err := desk.AddDisplay(t.Context(), commands.AddDisplay{Tenant: elm, Name: "Waiting room", Site: at, Naming: display.Number})
	must(t, err)
	token, err := desk.ConnectDisplay(t.Context(), commands.ConnectDisplay{Tenant: elm, Display: given.Display, Secret: given.Secret})
	must(t, err)
	screens := signin.Screens{DB: postgres.On(s.pool), Now: s.Now}
	known := func(tenant, shown string) bool {
		t.Helper()
		d, found, err := screens.Find(t.Context(), tenant, shown)
		must(t, err)
		return found && d.Display == given.Display && d.Site == at
	}
	shown := signin.ScreenToken(given.Display, token)
	for range 2 {
		if !known(elm, shown) {
			t.Error("it is not known though it was seen lately")
		}
		s.Pass(signin.ScreenIdle - time.Second)
	}
	for _, wrong := range []string{"", ".", given.Display.String(), given.Display.String() + ".", given.Display.String() + "." + given.Secret, "x." + token, token} {
		if known(elm, wrong) {
			t.Errorf("%q is known", wrong)
		}
	}
	if known(oak, shown) {
		t.Error("it is known at another practice")
	}
	if !known(elm, shown) {
		t.Error("it is not known any more")
	}
	s.Pass(signin.ScreenIdle)
	if known(elm, shown) {
		t.Error("it is known though it was not seen for too long")
	}
	s.Pass(-time.Minute)
	if !known(elm, shown) {
		t.Error("it was forgotten before its time")
	}
	must(t, desk.RemoveDisplay(t.Context(), commands.RemoveDisplay{Tenant: elm, Display: given.Display}))
	if known(elm, shown) {
		t.Error("it is known though its display was removed")
	}
}
