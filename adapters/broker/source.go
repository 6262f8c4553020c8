package broker

import (
	"context"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/feed"
)

// Source shows the log.
type Source interface {
	// Look says how far the log has come.
	Look(ctx context.Context) (Look, error)
	// Page returns the events after an idx, at most so many. There are none at the end of the log.
	Page(ctx context.Context, after int64, most int) (Page, error)
	// Rest waits at the end of the log until there may be more: it ends by itself soon enough.
	Rest(ctx context.Context)
}

// Look is how the log presents itself at a moment.
type Look struct {
	Head   int64 // idx of its last event; 0 if it is empty
	Epochs feed.Epochs
	Wait   string // why nothing can be relayed now although nothing is wrong; "" if it can
}

// present returns the epoch that the log is in.
func (l Look) present() feed.Epoch { return l.Epochs[len(l.Epochs)-1] }

// Page is a stretch of the log. All of it was true at one moment.
type Page struct {
	Epoch  int // that the log was in
	Head   int64
	Before uuid.UUID // of the event before the first of these; zero if there is none
	Events []event.Stored
}
