package postgres

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/ThreeDotsLabs/watermill"
)

// waiter is watermill's backoff manager: it waits itself, for a bell and at a
// pace, because watermill only knows how to sleep. The pace lets events gather:
// a look costs a transaction, however little it finds.
type waiter struct {
	consumer *Consumer
	closing  context.Context
	grown    <-chan struct{} // taken before each look at the log, so that no bell is missed
	schema   feedSchema
	seen     int64 // idx at the end of the page before
}

// feedPace is the shortest wait between two looks that find little.
const feedPace = 10 * time.Millisecond

// HandleError implements [wsql.BackoffManager]. It is called after each look.
func (w *waiter) HandleError(_ watermill.LoggerAdapter, empty bool, err error) time.Duration {
	switch {
	case errors.Is(err, sql.ErrTxDone): // undone by us, and logged there
	case err != nil:
		w.consumer.Log.Warn("the feed could not be read; it is tried again",
			slog.String("consumer", w.consumer.Name), slog.Any("error", err))
		pause(w.closing, feedPoll, nil)
	case empty:
		pause(w.closing, feedPoll, w.grown)
	case w.schema.page.last-w.seen < int64(w.schema.batch): // a short page: there was no more
		pause(w.closing, feedPace, nil)
	}
	w.seen = w.schema.page.last
	w.grown = w.consumer.Grown.Next()
	return 0
}
