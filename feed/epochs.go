package feed

import "strconv"

// Epochs are the epochs of the log, the present one last. A log that never lost its end has
// the first one only: [{1 1}].
type Epochs []Epoch

// Epoch is a part of the log between two losses of its end.
type Epoch struct {
	Epoch int   `json:"epoch"`
	First int64 `json:"first"` // idx of its first event; every event before it is the log's as well
}

// EpochsStream is the broker's stream that holds one message, whose body is the [Epochs]
// as JSON, at [EpochsSubject]. Every follower may read it: it names no practice.
const (
	EpochsStream  = "frontdesk-epochs"
	EpochsSubject = "frontdesk.epochs"
)

// Holding returns the epoch of the event that has an idx.
func (all Epochs) Holding(idx int64) Epoch {
	for n := len(all) - 1; n > 0; n-- {
		if all[n].First <= idx {
			return all[n]
		}
	}
	return all[0]
}

// End returns the last idx that an epoch gave out and that still counts, and false for
// the present one, which has no end.
func (all Epochs) End(epoch int) (idx int64, over bool) {
	for _, next := range all {
		if next.Epoch > epoch {
			return next.First - 1, true
		}
	}
	return 0, false
}

// Lost returns the first idx that a follower at a place has read and that the log has lost
// since, and false if it has lost none.
func (all Epochs) Lost(at Place) (from int64, lost bool) {
	end, over := all.End(at.Epoch)
	if !over || at.Idx <= end {
		return 0, false
	}
	return end + 1, true
}

// String names an epoch in messages.
func (e Epoch) String() string { return "epoch " + strconv.Itoa(e.Epoch) }
