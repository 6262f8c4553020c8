package commands

import (
	"context"
	"time"

	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// AddDisplay adds a display for the board of a site.
type AddDisplay struct {
	Tenant string
	Once   string // names this one display, so that repeating it adds no second one; "" if it is sent once
	Name   string
	Site   site.ID
	Naming display.Naming
}

// DisplayLink is a link by which a screen becomes a display.
type DisplayLink struct {
	Display   display.ID
	Secret    string    // in the link; it is stored nowhere, so it can be shown once
	ExpiresAt time.Time // exclusive
}

// AddDisplay refuses a site of another practice with site.ErrUnknown, and a display
// that exists with display.ErrAdded.
func (d Desk) AddDisplay(ctx context.Context, c AddDisplay) (DisplayLink, error) {
	if err := d.knowSite(ctx, c.Tenant, c.Site); err != nil {
		return DisplayLink{}, err
	}
	id := display.ID{UUID: newID("display", c.Once, c.Tenant)}
	link, secret := staff.NewLink(d.instant())
	added := display.Added{Display: id, Name: c.Name, Site: c.Site, Naming: c.Naming, Link: link}
	err := d.display(ctx, c.Tenant, id, func(known display.Display) ([]event.Event, error) { return known.Add(added) })
	if err != nil {
		return DisplayLink{}, err
	}
	return DisplayLink{id, secret, link.ExpiresAt}, nil
}

// ConnectDisplay makes a screen a display by a link.
type ConnectDisplay struct {
	Tenant  string
	Display display.ID
	Secret  string
}

// ConnectDisplay uses the link up, and refuses an invalid one with staff.ErrLink. It
// returns the session token of the screen, which is stored nowhere. The log names the
// display as the actor: the browser that opens its link is taken for it.
func (d Desk) ConnectDisplay(ctx context.Context, c ConnectDisplay) (token string, err error) {
	session, token := display.NewSession()
	metadata := event.MetadataFrom(ctx)
	metadata.Actor = event.Display(c.Display.UUID)
	err = d.display(event.WithMetadata(ctx, metadata), c.Tenant, c.Display, func(known display.Display) ([]event.Event, error) {
		return known.Connect(staff.DigestOfLink(c.Secret), session, d.Now())
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// RemoveDisplay stops a display at once.
type RemoveDisplay struct {
	Tenant  string
	Display display.ID
}

// RemoveDisplay changes nothing if the display was removed before. It refuses a display of
// another practice with display.ErrUnknown.
func (d Desk) RemoveDisplay(ctx context.Context, c RemoveDisplay) error {
	return d.display(ctx, c.Tenant, c.Display, display.Display.Remove)
}

// display takes a decision about a display, and appends it.
func (d Desk) display(ctx context.Context, tenant string, id display.ID, decide func(display.Display) ([]event.Event, error)) error {
	return Update(ctx, d.Store, display.StreamOf(tenant, id), decide)
}
