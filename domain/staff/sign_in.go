package staff

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// How is the credential of a sign-in or an attempt.
type How string

// The ways to sign in.
const (
	ByPassword           How = "password"
	ByPasskey            How = "passkey"
	ByPasswordAndPasskey How = "password-and-passkey"
	ByLink               How = "link" // with the password that they have just chosen by it
)

// Source is a pseudonym of a browser's address. On one day (UTC) equal addresses have
// equal pseudonyms; from the next day on the address cannot be recovered.
type Source string

// SignedIn records that a member of staff has begun a session.
type SignedIn struct {
	Staff   ID        `json:"staff"`
	Session uuid.UUID `json:"session"`
	How     How       `json:"how"`
	Source  Source    `json:"source"`
	At      time.Time `json:"at"`
}

// SignedOut records that a member of staff has ended their session.
type SignedOut struct {
	Staff   ID        `json:"staff"`
	Session uuid.UUID `json:"session"`
	At      time.Time `json:"at"`
}

// SignInFailed records attempts to sign in as a member of staff with wrong credentials.
type SignInFailed struct {
	Staff   ID          `json:"staff"`
	Tries   map[How]int `json:"tries"`   // since the last such event
	Sources []Source    `json:"sources"` // each once, the first ten
	Since   time.Time   `json:"since"`   // the first of the tries
	Until   time.Time   `json:"until"`   // when they were counted
}

// LockedOut records that passwords for an account are not checked for a while: those
// from one source, or all except from browsers that its owner has used.
type LockedOut struct {
	Staff      ID        `json:"staff"`
	Source     Source    `json:"source"`
	Everywhere bool      `json:"everywhere"` // from all sources, not only from this one
	At         time.Time `json:"at"`
	Until      time.Time `json:"until"`
}

// EventName returns the name that the event is stored under.
func (SignedIn) EventName() string { return "staff.signed-in.v1" }

// EventName returns the name that the event is stored under.
func (SignedOut) EventName() string { return "staff.signed-out.v1" }

// EventName returns the name that the event is stored under.
func (SignInFailed) EventName() string { return "staff.sign-in-failed.v1" }

// EventName returns the name that the event is stored under.
func (LockedOut) EventName() string { return "staff.locked-out.v1" }

// SessionStream returns the stream of a session, from signing in to signing out.
func SessionStream(tenant string, session uuid.UUID) event.Stream {
	return event.Stream{Tenant: tenant, ID: session}
}

// TriesStream returns the stream of failed attempts and lockouts at the account of a member of staff
// on the day (UTC) of an instant. It is not the member's own stream, which every
// decision about them reads: strangers control the length of this one (D65).
func TriesStream(tenant string, member ID, at time.Time) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("sign-in-tries", tenant, member.String(), at.UTC().Format(time.DateOnly))}
}

// Session is the recorded state of a session.
type Session struct{ begun, ended bool }

// Begin records the beginning of a session, once (rule 7).
func (s Session) Begin(e SignedIn) ([]event.Event, error) {
	if s.begun {
		return nil, nil
	}
	return []event.Event{e}, nil
}

// End records the end of a session, once (rule 7).
func (s Session) End(e SignedOut) ([]event.Event, error) {
	if s.ended {
		return nil, nil
	}
	return []event.Event{e}, nil
}

// Apply returns the session after the event.
func (s Session) Apply(e event.Event) Session {
	switch e.(type) {
	case SignedIn:
		s.begun = true
	case SignedOut:
		s.ended = true
	}
	return s
}

// Events returns the events of a session's stream.
func (Session) Events() []event.Event { return []event.Event{SignedIn{}, SignedOut{}} }
