package verification

import (
	"time"

	"frontdesk/domain/proof"
)

// Backdated are the events that are dated before a checkpoint which does not cover them.
type Backdated struct {
	Count int64        `json:"count"`
	First []DatedEvent `json:"first"`
}

// DatedEvent is one of them.
type DatedEvent struct {
	Tenant string    `json:"tenant"`
	Idx    int64     `json:"idx"`
	At     time.Time `json:"at"`     // its date
	Behind time.Time `json:"behind"` // what the checkpoint covers goes at least up to here
}

const (
	// backdating is the difference that is no finding. Processes may differ by a minute
	// without being refused, an append may take ten seconds, and gaps are filled late.
	backdating = 2 * time.Minute

	mostBackdated = 20 // in a result
)

// date compares an event with the checkpoints of its tree that do not cover it.
func (r *reading) date(t *tree, l leaf) {
	if t.Kind != proof.Events {
		return
	}
	if l.at.Add(backdating).Before(t.covered) {
		if r.Backdated.Count++; len(r.Backdated.First) < mostBackdated {
			r.Backdated.First = append(r.Backdated.First, DatedEvent{t.Tenant, l.idx, l.at, t.covered})
		}
	}
	if l.at.After(t.newest) {
		t.newest = l.at
	}
}

// cover notes that a checkpoint covers the events so far. It was made after the last of them,
// and before it was published: the earlier instant counts. When a kept checkpoint was
// published is unknown; then published is zero.
func (t *tree) cover(published time.Time) {
	made := t.newest
	if !published.IsZero() && published.Before(made) {
		made = published
	}
	if made.After(t.covered) {
		t.covered = made
	}
}
