package epoch

import (
	"fmt"
	"strings"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Begun says that the log goes on in another history than before.
type Begun struct {
	Epoch     int    `json:"epoch"` // of this event and of those behind it; 2 or more, because nothing begins the first
	Cause     Cause  `json:"cause"`
	LastKnown int64  `json:"lastKnown"`         // the last idx that means the same event in both histories; 0 if there is none
	Missing   *int64 `json:"missing,omitempty"` // how many idx after it the service remembers to have seen, at least; nil if it remembers nothing
	Reason    string `json:"reason"`
}

// EventName returns the name that the event is stored under.
func (Begun) EventName() string { return "log.epoch-begun.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return []event.Event{Begun{}} }

// Cause says how the log came into another history.
type Cause string

// The causes.
const (
	Timeline Cause = "timeline" // a standby was promoted, or the cluster was recovered to an earlier moment
	Restore  Cause = "restore"  // the database is a copy: it was dumped and restored
)

// StreamOf returns the stream of epochs. It belongs to no practice: there is one
// log for all of them.
func StreamOf() event.Stream { return event.Stream{ID: event.DerivedID("epochs")} }

// History tells one course of events from another that began in the same way.
type History struct {
	System   int64  // the identifier of the Postgres cluster
	Table    uint32 // the number of the sequencer's table in it, which a restored copy does not keep
	Timeline int32  // which promotions and recoveries change
}

// Mark is how far the log had come when somebody looked. It is zero if nobody did.
type Mark struct {
	Epoch int
	Head  int64 // the last idx that was given out
}

// Begin begins an epoch (rules 1 to 3): the log has come to a mark, in the history
// from, and goes on in the history to. What the service has seen before says what
// is missing.
func Begin(log, seen Mark, from, to History) Begun {
	begun := Begun{Epoch: max(log.Epoch, seen.Epoch) + 1, LastKnown: log.Head, Cause: Timeline}
	begun.Reason = fmt.Sprintf("The database has changed from timeline %d to %d.", from.Timeline, to.Timeline)
	if from.System != to.System || from.Table != to.Table {
		begun.Cause = Restore
		begun.Reason = fmt.Sprintf("The database is a copy: its cluster and table were %d/%d, and are %d/%d.",
			from.System, from.Table, to.System, to.Table)
	}
	if seen.Epoch > 0 && seen.Epoch >= log.Epoch {
		missing := max(0, seen.Head-log.Head)
		begun.Missing = &missing
	}
	return begun
}

// Declare begins an epoch of which an operator says why, because a restore left no trace:
// the database's files were put back as they were. It is the next one, or a later one if
// somebody remembers more of them than the database does.
func Declare(log Mark, at int, reason string) (Begun, error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		return Begun{}, ErrNoReason
	}
	if at != 0 && at <= log.Epoch {
		return Begun{}, ErrEpochOver
	}
	return Begun{Epoch: max(log.Epoch+1, at), Cause: Restore, LastKnown: log.Head, Reason: reason}, nil
}

// The refusals of an epoch that an operator declares.
var (
	ErrNoReason  = fault.New(fault.Invalid, "no-reason", "Say why the epoch begins: what was restored, and from when.")
	ErrEpochOver = fault.New(fault.Conflict, "epoch-over", "The log has come to this epoch or a later one: leave the number out for the next.")
)

// Complete reports whether nothing is missing for certain (rule 4). That takes a
// promoted standby that had confirmed each commit before it was answered, and
// somebody who remembers nothing else.
func (b Begun) Complete(synchronous bool) bool {
	return synchronous && b.Cause == Timeline && b.Missing != nil && *b.Missing == 0
}
