package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	wsql "github.com/ThreeDotsLabs/watermill-sql/v3/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
)

// The feed is watermill-sql over the log itself: there is no second copy of
// any message. A consumer group is one row of feed_offsets, and whoever locks
// that row consumes.

// topic is the only one; watermill wants a name.
const topic = "log"

// feedSchema is watermill's schema adapter over log and events.
type feedSchema struct {
	batch int      // events a transaction, at most
	skips []string // names of events that the consumer has no use for; not nil, which SQL takes for all
	page  *page
}

// page is what the last look at the log has found. A message carries an event's
// identifier and data; the row that it was made of waits here, to be taken in the
// same order: printed and parsed again, it would cost more than reading it.
type page struct {
	last int64 // idx of the last event; 0 before the first look
	rows []stored
}

// take is the row of the next message.
func (p *page) take() stored {
	row := p.rows[0]
	p.rows = p.rows[1:]
	return row
}

// nextMessages is [readLog] from where the consumer has come to. What it has no
// use for is left out, but for the last of the page, which tells how far the page
// went; a name that nobody knows is never left out.
//
// Its transaction need not wait for the disk: what a handler wrote and how far it
// came are one commit, and are kept or lost together. Who reads a handler's rows
// and must not lose them flushes them with a commit of their own. The limit is
// part of the text: Postgres takes a parameter for a tenth of the table.
const nextMessages = `
WITH consumer AS (
	SELECT idx, set_config('synchronous_commit', 'off', true)
	FROM feed_offsets WHERE consumer = $1 FOR UPDATE SKIP LOCKED)
SELECT l.idx, e.id, e.tenant, e.stream, e.version, e.name, e.data, e.metadata, e.recorded_at
FROM (
	SELECT idx, position, lead(idx) OVER (ORDER BY idx) IS NULL AS last
	FROM (SELECT idx, position FROM log WHERE idx > (SELECT idx FROM consumer) ORDER BY idx LIMIT %d) page) l
CROSS JOIN LATERAL (SELECT * FROM events WHERE position = l.position OFFSET 0) e
WHERE l.last OR e.name <> ALL ($2)
ORDER BY l.idx`

// SelectQuery implements [wsql.SchemaAdapter].
func (f feedSchema) SelectQuery(_, consumer string, _ wsql.OffsetsAdapter) wsql.Query {
	f.page.rows = nil
	return wsql.Query{Query: fmt.Sprintf(nextMessages, f.batch), Args: []any{consumer, f.skips}}
}

// SubscribeIsolationLevel implements [wsql.SchemaAdapter]. Under a stricter
// level a consumer that waited for another would fail instead of going on.
func (feedSchema) SubscribeIsolationLevel() sql.IsolationLevel { return sql.LevelReadCommitted }

// UnmarshalMessage implements [wsql.SchemaAdapter].
func (f feedSchema) UnmarshalMessage(row wsql.Scanner) (wsql.Row, error) {
	var s stored
	err := row.Scan(&s.idx, &s.id, &s.tenant, &s.stream, &s.version, &s.name, &s.data, &s.metadata, &s.at)
	if err != nil {
		return wsql.Row{}, err
	}
	f.page.last, f.page.rows = s.idx, append(f.page.rows, s)
	return wsql.Row{Offset: s.idx, Msg: message.NewMessage(s.id.String(), s.data)}, nil
}

// InsertQuery implements [wsql.SchemaAdapter]: nothing is published here.
func (feedSchema) InsertQuery(string, message.Messages) (wsql.Query, error) {
	return wsql.Query{}, errors.New("the feed is read-only: append events instead")
}

// SchemaInitializingQueries implements [wsql.SchemaAdapter]: migrations do it.
func (feedSchema) SchemaInitializingQueries(string) []wsql.Query { return nil }

// feedOffsets is watermill's offsets adapter over feed_offsets.
type feedOffsets struct{}

// BeforeSubscribingQueries implements [wsql.OffsetsAdapter].
func (feedOffsets) BeforeSubscribingQueries(_, consumer string) []wsql.Query {
	return []wsql.Query{{
		Query: `INSERT INTO feed_offsets (consumer) VALUES ($1) ON CONFLICT DO NOTHING`,
		Args:  []any{consumer},
	}}
}

// AckMessageQuery implements [wsql.OffsetsAdapter].
func (feedOffsets) AckMessageQuery(_ string, row wsql.Row, consumer string) wsql.Query {
	return wsql.Query{
		Query: `UPDATE feed_offsets SET idx = $2 WHERE consumer = $1`,
		Args:  []any{consumer, row.Offset},
	}
}

// ConsumedMessageQuery implements [wsql.OffsetsAdapter]: there is none.
func (feedOffsets) ConsumedMessageQuery(string, wsql.Row, string, []byte) wsql.Query {
	return wsql.Query{}
}

// NextOffsetQuery implements [wsql.OffsetsAdapter]; [nextMessages] contains it.
func (feedOffsets) NextOffsetQuery(string, string) wsql.Query { return wsql.Query{} }

// SchemaInitializingQueries implements [wsql.OffsetsAdapter]: migrations do it.
func (feedOffsets) SchemaInitializingQueries(string) []wsql.Query { return nil }

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

// Bell wakes everybody who waits for it, and nobody who does not. The zero
// value is ready; a nil Bell rings for nobody.
type Bell struct {
	mu    sync.Mutex
	waits chan struct{}
}

// Next is closed at the next [Bell.Ring]. Take it before looking for work, so
// that work that arrives while looking is not slept through.
func (b *Bell) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waits == nil {
		b.waits = make(chan struct{})
	}
	return b.waits
}

// Ring wakes everybody who holds [Bell.Next].
func (b *Bell) Ring() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waits != nil {
		close(b.waits)
		b.waits = nil
	}
}
