package live

import (
	"context"

	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
)

// Source is the log as the read models show it.
type Source interface {
	// Look returns the events since the last look. The hub makes one call at a time.
	Look(ctx context.Context) (Sight, error)
	// Shown returns an idx up to which the read models are complete.
	Shown(ctx context.Context) (int64, error)
	// Grown is closed when the log has grown. The hub looks at least once a second.
	Grown() <-chan struct{}
}

// Sight is the result of one look.
type Sight struct {
	Anew   bool             // earlier sights are invalid
	From   int64            // the look covers the idx after From up to Upto
	Upto   int64            // the last idx in the read models
	Head   int64            // the last idx of the log
	Events []event.Recorded // those of the catalogue, in the order of the log
}

// Follows returns an event of each type that a source must return.
func Follows() []event.Event {
	follows := []event.Event{epoch.Begun{}}
	for _, r := range rows {
		follows = append(follows, r.event)
	}
	return follows
}
