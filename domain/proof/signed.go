package proof

import "frontdesk/domain/fault"

// Signed is a published checkpoint with its note. Its signatures are not verified.
type Signed struct {
	Checkpoint
	Note string
}

// ErrNoCheckpoint means that no checkpoint of a log has been signed yet.
var ErrNoCheckpoint = fault.New(fault.Missing, "no-checkpoint",
	"No checkpoint of this log is signed yet: let frontdesk sign run, or look whether there is such a practice.")
