package erasure

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// Person identifies a person who can be erased: a patient, a member of staff, or a
// practitioner of a practice.
type Person struct {
	Tenant string           `json:"tenant"`
	Kind   event.HolderKind `json:"kind"`
	Holder uuid.UUID        `json:"holder"`
}

// Line records an erasure outside of the database and its backups (rule 6). It holds no
// personal data.
type Line struct {
	Person
	Erasure      ID       `json:"erasure"`
	Idx          int64    `json:"idx"`          // the event's place in the log; 0 if it had none yet
	Fingerprints []string `json:"fingerprints"` // of the keys that were destroyed
}
