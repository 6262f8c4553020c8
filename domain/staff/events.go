package staff

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// ID identifies a member of staff of one practice. Events hold it, never the
// username.
type ID struct{ uuid.UUID }

// CredentialID names one password of one member of staff. It reveals nothing about the
// password, whose hash is kept outside the log.
type CredentialID struct{ uuid.UUID }

// Registered records a new member of staff of the practice.
type Registered struct {
	Username      string `json:"username" personal:"staff"`
	Name          string `json:"name" personal:"staff"`
	Email         string `json:"email" personal:"staff"`
	Administrator bool   `json:"administrator"` // from before there were roles: a manager, until roles are set
}

// RolesSet records their roles from now on; an empty list is none.
type RolesSet struct {
	Roles Roles `json:"roles"`
}

// Invited records that they may choose a password by a link.
type Invited struct{ Link }

// Reset records that their password and passkeys are no longer valid, and that they may
// choose another password by a link.
type Reset struct{ Link }

// Deactivated records that they may no longer act.
type Deactivated struct{}

// Reactivated records that they may act again, once they have chosen a password.
type Reactivated struct{}

// PasswordSet records that a member of staff signs in with a new password. It holds
// neither the password nor its hash.
type PasswordSet struct {
	Credential CredentialID `json:"credential"`
	// Digest is the SHA-256 of the stored hash, with its salt, so that no other hash is
	// valid. It is zero in older events. Without the salt it is of no use for guessing
	// passwords.
	Digest event.Digest `json:"digest,omitzero"`
	// Link is the link by which they chose it; zero if they were signed in, or if an
	// operator has set it.
	Link event.Digest `json:"link,omitzero"`
}

// Link lets the holder of its secret choose a password, once.
type Link struct {
	Digest    event.Digest `json:"link"` // SHA-256 of the secret, which is 256 random bits
	ExpiresAt time.Time    `json:"expiresAt"`
}

// EventName returns the name that the event is stored under.
func (Registered) EventName() string { return "staff.registered.v1" }

// EventName returns the name that the event is stored under.
func (RolesSet) EventName() string { return "staff.roles-set.v1" }

// EventName returns the name that the event is stored under.
func (Invited) EventName() string { return "staff.invited.v1" }

// EventName returns the name that the event is stored under.
func (Reset) EventName() string { return "staff.reset.v1" }

// EventName returns the name that the event is stored under.
func (Reactivated) EventName() string { return "staff.reactivated.v1" }

// EventName returns the name that the event is stored under.
func (Deactivated) EventName() string { return "staff.deactivated.v1" }

// EventName returns the name that the event is stored under.
func (PasswordSet) EventName() string { return "staff.password-set.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event {
	return slices.Concat(Member{}.Events(), Session{}.Events(), Watch{}.Events(), PasskeyRule{}.Events(), Teams{}.Events())
}

// Events returns the events of the stream of a member of staff.
func (Member) Events() []event.Event {
	return []event.Event{
		Registered{}, RolesSet{}, Invited{}, Reset{}, Deactivated{}, Reactivated{}, PasswordSet{}, PasskeyAdded{}, PasskeyRemoved{},
		ResetRequested{}, ResetWithdrawn{},
		ErasureRequested{}, ErasureWithdrawn{}, Erased{},
	}
}
