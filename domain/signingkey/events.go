package signingkey

import (
	"time"

	"frontdesk/domain/event"
)

// Key is a key as events name it. It is complete, so that a signature can be
// verified with the log alone for as long as the log is kept.
type Key struct {
	KID       KID       `json:"kid"`
	PublicKey PublicKey `json:"publicKey"`
}

// Staged says that a key is published from now on.
type Staged struct {
	Key
	At time.Time `json:"at"`
}

// Activated says that a key signs from now on.
type Activated struct {
	Key
	At time.Time `json:"at"`
}

// RetirementBegun says that a key does not sign any more.
type RetirementBegun struct {
	Key
	At time.Time `json:"at"`
}

// Retired says that a key is not published any more.
type Retired struct {
	Key
	At time.Time `json:"at"`
}

// EventName returns the name that the event is stored under.
func (Staged) EventName() string { return "signing-key.staged.v1" }

// EventName returns the name that the event is stored under.
func (Activated) EventName() string { return "signing-key.activated.v1" }

// EventName returns the name that the event is stored under.
func (RetirementBegun) EventName() string { return "signing-key.retirement-begun.v1" }

// EventName returns the name that the event is stored under.
func (Retired) EventName() string { return "signing-key.retired.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event {
	return []event.Event{Staged{}, Activated{}, RetirementBegun{}, Retired{}}
}
