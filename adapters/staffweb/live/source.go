package live

import (
	"context"

	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
)

// Source is the log as the read models show it.
type Source interface {
	// Look returns what has come since the last look. The hub calls it, one at a time.
	Look(ctx context.Context) (Sight, error)
	// Shown returns an idx up to which the read models show everything.
	Shown(ctx context.Context) (int64, error)
	// Grown is closed when the log has grown. Without that the hub looks once a second.
	Grown() <-chan struct{}
}

// Sight is what one look has found.
type Sight struct {
	Anew   bool             // what was seen before counts no more
	From   int64            // everything after this idx up to Upto has been looked at
	Upto   int64            // the last idx that the read models show
	Head   int64            // the last idx of the log
	Events []event.Recorded // those of the catalogue, in the order of the log
}

// Follows returns an event of each type that a source has to return.
func Follows() []event.Event {
	follows := []event.Event{epoch.Begun{}}
	for _, r := range rows {
		follows = append(follows, r.event)
	}
	return follows
}
