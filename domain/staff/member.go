package staff

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Registered says that somebody works for the practice.
type Registered struct {
	Username      string `json:"username" personal:"staff"`
	Name          string `json:"name" personal:"staff"`
	Email         string `json:"email" personal:"staff"`
	Administrator bool   `json:"administrator"` // a practice administrator (§5.6)
}

// Deactivated says that they may act no more.
type Deactivated struct{}

// EventName implements [event.Event].
func (Registered) EventName() string { return "staff.registered.v1" }

// EventName implements [event.Event].
func (Deactivated) EventName() string { return "staff.deactivated.v1" }

// Events are the events of this package, for the codec.
func Events() []event.Event { return []event.Event{Registered{}, Deactivated{}, PasswordSet{}} }

// What the rules refuse.
var (
	ErrInvalidUsername = fault.New(fault.Invalid, "invalid-username",
		"A username is 1 to 128 printable characters and is not a UUID.")
	ErrNameless      = fault.New(fault.Invalid, "missing-name", "A member of staff needs a name.")
	ErrInvalidEmail  = fault.New(fault.Invalid, "invalid-email", "The e-mail address is not valid.")
	ErrUsernameTaken = fault.New(fault.Conflict, "username-taken", "Somebody at the practice has this username already.")
	ErrUnknown       = fault.New(fault.Missing, "unknown-staff", "The practice has no active member of staff with this username.")
)

// StreamOf is the stream of a member of staff.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Member is what the rules ask about a member of staff.
type Member struct{ registered, deactivated bool }

// Register is rule 1.
func (m Member) Register(r Registered) ([]event.Event, error) {
	r.Name = strings.TrimSpace(r.Name)
	switch {
	case !isUsername(r.Username):
		return nil, ErrInvalidUsername
	case r.Name == "":
		return nil, ErrNameless
	case !isEmail(r.Email):
		return nil, ErrInvalidEmail
	case m.registered:
		return nil, ErrUsernameTaken
	}
	return []event.Event{r}, nil
}

func isUsername(s string) bool {
	printable := !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
	return s != "" && utf8.RuneCountInString(s) <= 128 && printable && uuid.Validate(s) != nil
}

func isEmail(s string) bool {
	address, err := mail.ParseAddress(s)
	return err == nil && address.Address == s
}

// Deactivate is rule 2.
func (m Member) Deactivate() ([]event.Event, error) {
	if !m.registered {
		return nil, ErrUnknown
	}
	if m.deactivated {
		return nil, nil
	}
	return []event.Event{Deactivated{}}, nil
}

// Active refuses with [ErrUnknown] unless the member of staff may act.
func (m Member) Active() error {
	if !m.registered || m.deactivated {
		return ErrUnknown
	}
	return nil
}

// Apply implements [event.State].
func (m Member) Apply(e event.Event) Member {
	switch e.(type) {
	case Registered:
		m.registered = true
	case Deactivated:
		m.deactivated = true
	}
	return m
}
