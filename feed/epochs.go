package feed

import "strconv"

// Epochs are the epochs that the log has come through, the present one last. A log that
// never lost its end has the first one alone: [{1 1}].
type Epochs []Epoch

// Epoch is one of them.
type Epoch struct {
	Epoch int   `json:"epoch"`
	First int64 `json:"first"` // idx of its first event; everything before it is the log's, too
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

// Lost returns from which idx on what a follower at a place has read never happened, and
// false if all of it did.
func (all Epochs) Lost(at Place) (from int64, lost bool) {
	end, over := all.End(at.Epoch)
	if !over || at.Idx <= end {
		return 0, false
	}
	return end + 1, true
}

// String names an epoch in messages.
func (e Epoch) String() string { return "epoch " + strconv.Itoa(e.Epoch) }
