package commands_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// A display is added once, is connected by its link once, and is removed.
func TestADisplaysLife_D88(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	now := noon()
	desk := commands.Desk{Store: d, Now: func() time.Time { return now }}
	wanted := commands.AddDisplay{Tenant: elm, Name: "Waiting room", Site: d.site, Naming: display.Number}
	given := made[commands.DisplayLink](t)(desk.AddDisplay(t.Context(), wanted))
	if given.Display == (display.ID{}) || len(given.Secret) != 52 || !given.ExpiresAt.Equal(now.Add(72*time.Hour)) {
		t.Fatalf("made %+v", given)
	}
	connect := func(tenant string, id display.ID, secret string) (string, error) {
		return desk.ConnectDisplay(event.WithMetadata(context.Background(), event.Metadata{RequestID: "r1"}),
			commands.ConnectDisplay{Tenant: tenant, Display: id, Secret: secret})
	}
	for _, c := range []struct {
		tenant string
		id     display.ID
		secret string
	}{{oak, given.Display, given.Secret}, {elm, display.ID{UUID: uuid.New()}, given.Secret}, {elm, given.Display, "x"}, {elm, given.Display, ""}} {
		if token, err := connect(c.tenant, c.id, c.secret); !errors.Is(err, staff.ErrLink) || token != "" {
			t.Errorf("%v: token %q, error %v", c, token, err)
		}
	}
	token, err := connect(elm, given.Display, given.Secret)
	must(t, err)
	last := d.Log()[len(d.Log())-1]
	connected, ok := last.Event.(display.Connected)
	if !ok || connected.Session != display.DigestOf(token) || last.Metadata.Actor != event.Display(given.Display.UUID) || last.Metadata.RequestID != "r1" {
		t.Errorf("recorded %+v", last)
	}
	if _, err := connect(elm, given.Display, given.Secret); !errors.Is(err, staff.ErrLink) {
		t.Errorf("the link was used twice: %v", err)
	}
	remove := commands.RemoveDisplay{Tenant: oak, Display: given.Display}
	if err := desk.RemoveDisplay(t.Context(), remove); !errors.Is(err, display.ErrUnknown) {
		t.Errorf("removed by another practice: %v", err)
	}
	remove.Tenant = elm
	must(t, desk.RemoveDisplay(t.Context(), remove))
}

// A form that is sent twice adds one display, and shows one link.
func TestADisplayThatIsThereIsNotAddedAgain_D88(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	desk := commands.Desk{Store: d, Now: noon}
	wanted := commands.AddDisplay{Tenant: elm, Once: "form", Name: "Waiting room", Site: d.site, Naming: display.Number}
	first := made[commands.DisplayLink](t)(desk.AddDisplay(t.Context(), wanted))
	if given, err := desk.AddDisplay(t.Context(), wanted); !errors.Is(err, display.ErrAdded) || given.Secret != "" {
		t.Errorf("made %+v, error %v", given, err)
	}
	wanted.Once = "another"
	if given := made[commands.DisplayLink](t)(desk.AddDisplay(t.Context(), wanted)); given.Display == first.Display {
		t.Errorf("another form made %+v", given)
	}
	wanted.Site = site.ID{UUID: uuid.New()}
	if _, err := desk.AddDisplay(t.Context(), wanted); !errors.Is(err, site.ErrUnknown) {
		t.Errorf("at no site: %v", err)
	}
	wanted.Tenant, wanted.Site = oak, d.site
	if _, err := desk.AddDisplay(t.Context(), wanted); !errors.Is(err, site.ErrUnknown) {
		t.Errorf("at another practice's site: %v", err)
	}
}
