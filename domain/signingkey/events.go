package signingkey

import (
	"time"

	"frontdesk/domain/event"
)

// Key is a key as events name it, complete, so that a signature can be checked
// with the log alone for as long as the log is kept.
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

// RetirementBegun says that a key signs no more.
type RetirementBegun struct {
	Key
	At time.Time `json:"at"`
}

// Retired says that a key is published no more.
type Retired struct {
	Key
	At time.Time `json:"at"`
}

// EventName implements [event.Event].
func (Staged) EventName() string { return "signing-key.staged.v1" }

// EventName implements [event.Event].
func (Activated) EventName() string { return "signing-key.activated.v1" }

// EventName implements [event.Event].
func (RetirementBegun) EventName() string { return "signing-key.retirement-begun.v1" }

// EventName implements [event.Event].
func (Retired) EventName() string { return "signing-key.retired.v1" }

// Events are the events of this package, for the codec.
func Events() []event.Event {
	return []event.Event{Staged{}, Activated{}, RetirementBegun{}, Retired{}}
}
