package display

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// ID identifies a display of one practice.
type ID struct{ uuid.UUID }

// Added records that a screen may show the board of a site, once it has opened the
// link.
type Added struct {
	Display ID      `json:"display"`
	Name    string  `json:"name"`
	Site    site.ID `json:"site"`
	Naming  Naming  `json:"naming"`
	staff.Link
}

// Connected records that a screen has opened the display's link and shows the board.
type Connected struct {
	Display ID           `json:"display"`
	Link    event.Digest `json:"link"`
	Session event.Digest `json:"session"` // SHA-256 of the screen's token, which is 256 random bits
}

// Removed records that the display shows nothing any longer.
type Removed struct {
	Display ID      `json:"display"`
	Site    site.ID `json:"site"` // the site of its board
}

// EventName returns the name that the event is stored under.
func (Added) EventName() string { return "display.added.v1" }

// EventName returns the name that the event is stored under.
func (Connected) EventName() string { return "display.connected.v1" }

// EventName returns the name that the event is stored under.
func (Removed) EventName() string { return "display.removed.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return Display{}.Events() }

// Events returns the events of a display's stream.
func (Display) Events() []event.Event { return []event.Event{Added{}, Connected{}, Removed{}} }

// The refusals of this package's rules.
var (
	ErrNameless      = fault.New(fault.Invalid, "missing-display-name", "Give the screen a name, such as where it hangs.")
	ErrUnknownNaming = fault.New(fault.Invalid, "unknown-naming", "Choose how people are called from full-name, initials and number.")
	ErrAdded         = fault.New(fault.Conflict, "display-added", "This screen has been added, and its link was shown then. If the link is lost, remove the screen and add another.")
	ErrUnknown       = fault.New(fault.Refused, "display-not-found", "The practice has no display with this identifier.")
)

// StreamOf returns the stream of a display.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// NewSession returns the token of a screen, and its digest for the log.
func NewSession() (session event.Digest, token string) {
	token = rand.Text() + rand.Text() // 26 characters of 5 bits each, twice
	return DigestOf(token), token
}

// DigestOf is the digest of a screen's token in the log.
func DigestOf(token string) event.Digest { return sha256.Sum256([]byte(token)) }

// Display is the state of a display that later decisions need.
type Display struct {
	id      ID // zero before it is added
	site    site.ID
	link    staff.Link // zero once it was used
	removed bool
}

// Add adds the display (rule 1). The caller has made sure that the site exists. An
// identifier is valid for one display, so that a repeated form adds one.
func (d Display) Add(a Added) ([]event.Event, error) {
	a.Name = strings.TrimSpace(a.Name)
	switch {
	case d.id != (ID{}):
		return nil, ErrAdded
	case a.Name == "":
		return nil, ErrNameless
	case !a.Naming.known():
		return nil, ErrUnknownNaming
	}
	return []event.Event{a}, nil
}

// HasLink returns staff.ErrLink unless the link is the display's and can be used.
func (d Display) HasLink(digest event.Digest, now time.Time) error {
	same := subtle.ConstantTimeCompare(digest[:], d.link.Digest[:]) == 1
	if d.removed || digest.IsZero() || !same || !now.Before(d.link.ExpiresAt) {
		return staff.ErrLink
	}
	return nil
}

// Connect lets the screen that has opened the link show the board (rule 2).
func (d Display) Connect(link, session event.Digest, now time.Time) ([]event.Event, error) {
	if err := d.HasLink(link, now); err != nil {
		return nil, err
	}
	return []event.Event{Connected{d.id, link, session}}, nil
}

// Remove stops the display (rule 3). Removing it twice changes nothing.
func (d Display) Remove() ([]event.Event, error) {
	switch {
	case d.id == (ID{}):
		return nil, ErrUnknown
	case d.removed:
		return nil, nil
	}
	return []event.Event{Removed{d.id, d.site}}, nil
}

// Apply returns the display after the event.
func (d Display) Apply(e event.Event) Display {
	switch e := e.(type) {
	case Added:
		d.id, d.site, d.link = e.Display, e.Site, e.Link
	case Connected:
		d.link = staff.Link{}
	case Removed:
		d.removed = true
	}
	return d
}
