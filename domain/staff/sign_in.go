package staff

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// How is by what somebody signs in, or tries to.
type How string

// The ways to sign in.
const (
	ByPassword           How = "password"
	ByPasskey            How = "passkey"
	ByPasswordAndPasskey How = "password-and-passkey"
	ByLink               How = "link" // with the password that they have just chosen by it
)

// Source is the mark of where a browser is. On one day (UTC) equal places have equal
// marks, and from the next day on nobody can find out which place it was.
type Source string

// SignedIn says that a member of staff has begun a session.
type SignedIn struct {
	Staff   ID        `json:"staff"`
	Session uuid.UUID `json:"session"`
	How     How       `json:"how"`
	Source  Source    `json:"source"`
	At      time.Time `json:"at"`
}

// SignedOut says that a member of staff has ended a session of theirs.
type SignedOut struct {
	Staff   ID        `json:"staff"`
	Session uuid.UUID `json:"session"`
	At      time.Time `json:"at"`
}

// SignInFailed says that somebody has tried to sign in as a member of staff, and that
// what they showed was looked at and was not right.
type SignInFailed struct {
	Staff   ID          `json:"staff"`
	Tries   map[How]int `json:"tries"`   // since the last such event
	Sources []Source    `json:"sources"` // each once, the first ten
	Since   time.Time   `json:"since"`   // the first of the tries
	Until   time.Time   `json:"until"`   // when they were counted
}

// LockedOut says that nobody's password is looked at for an account for a while: nobody's
// from one source, or nobody's at all but from browsers that its owner has used.
type LockedOut struct {
	Staff      ID        `json:"staff"`
	Source     Source    `json:"source"`
	Everywhere bool      `json:"everywhere"` // from all sources, not from this one alone
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

// TriesStream returns the stream of what was tried at the account of a member of staff on
// the day (UTC) of an instant. It is not the member's own, which every decision about them
// reads: strangers decide how long this one gets (D65).
func TriesStream(tenant string, member ID, at time.Time) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("sign-in-tries", tenant, member.String(), at.UTC().Format(time.DateOnly))}
}

// Session is what the log has been told of a session.
type Session struct{ begun, ended bool }

// Begin tells the log of a session, once (rule 6).
func (s Session) Begin(e SignedIn) ([]event.Event, error) {
	if s.begun {
		return nil, nil
	}
	return []event.Event{e}, nil
}

// End tells the log of the end of a session, once (rule 6).
func (s Session) End(e SignedOut) ([]event.Event, error) {
	if s.ended {
		return nil, nil
	}
	return []event.Event{e}, nil
}

// Apply returns the session as it is after the event.
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
