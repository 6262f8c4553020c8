package broker

import (
	"context"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/feed"
)

// Source reads the log.
type Source interface {
	// Look returns the state of the log.
	Look(ctx context.Context) (Look, error)
	// Page returns up to most events after an idx. At the end of the log there are
	// none.
	Page(ctx context.Context, after int64, most int) (Page, error)
	// Rest waits at the end of the log until there may be more. It returns soon in any
	// case.
	Rest(ctx context.Context)
}

// Look is the state of the log at a moment.
type Look struct {
	Head   int64 // idx of its last event; 0 if it is empty
	Epochs feed.Epochs
	Wait   string // why nothing can be relayed at the moment, without an error; "" if it can
}

// present returns the current epoch.
func (l Look) present() feed.Epoch { return l.Epochs[len(l.Epochs)-1] }

// Page is a consecutive part of the log, read in one snapshot.
type Page struct {
	Epoch  int // of the log at that moment
	Head   int64
	Before uuid.UUID // of the event before the first one; zero if absent
	Events []event.Stored
}
