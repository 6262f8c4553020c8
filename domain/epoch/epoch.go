package epoch

import (
	"fmt"
	"strings"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Begun records that the log continues in another history.
type Begun struct {
	Epoch     int    `json:"epoch"` // of this event and of later ones; 2 or more, because no event begins the first
	Cause     Cause  `json:"cause"`
	LastKnown int64  `json:"lastKnown"`         // the last idx of the same event in both histories; 0 for none
	Missing   *int64 `json:"missing,omitempty"` // how many later idx the service remembers, at least; nil if it remembers none
	Reason    string `json:"reason"`
}

// EventName returns the name that the event is stored under.
func (Begun) EventName() string { return "log.epoch-begun.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return []event.Event{Begun{}} }

// Cause is how the log came into another history.
type Cause string

// The causes.
const (
	Timeline Cause = "timeline" // a standby was promoted, or the cluster was recovered to an earlier moment
	Restore  Cause = "restore"  // the database is a copy: it was dumped and restored
)

// StreamOf returns the stream of epochs. It belongs to no practice: there is one log
// for all of them.
func StreamOf() event.Stream { return event.Stream{ID: event.DerivedID("epochs")} }

// History distinguishes two continuations of the same log.
type History struct {
	System   int64  // the identifier of the Postgres cluster
	Table    uint32 // the number of the sequencer's table in it, which a restored copy does not keep
	Timeline int32  // which promotions and recoveries change
}

// Mark is an observed end of the log. It is zero without an observation.
type Mark struct {
	Epoch int
	Head  int64 // the last idx that was assigned
}

// Begin begins an epoch (rules 1 to 3): the log has reached a mark in the history from,
// and continues in the history to. The mark that the service has seen before shows how
// much is missing.
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

// Declare begins an epoch with an operator's reason, because a restore left no trace:
// the database's files were replaced by older ones. It is the next one, or a later one
// if a process remembers more of them than the database has.
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

// Complete reports whether it is certain that nothing is missing (rule 4). That
// requires a promoted standby that had confirmed each commit before it was
// acknowledged, and a remembered mark that shows nothing missing.
func (b Begun) Complete(synchronous bool) bool {
	return synchronous && b.Cause == Timeline && b.Missing != nil && *b.Missing == 0
}
