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

// The feed is watermill-sql reading the log itself, so no message is stored twice.
// A consumer group is one row of feed_offsets: the process that locks the row
// consumes.

// topic is the feed's only one. It has a name because watermill requires one.
const topic = "log"

// feedSchema is watermill's schema adapter over log and events.
type feedSchema struct {
	batch int      // most events of one transaction
	skips []string // names of events that the consumer is not handed; never nil, because SQL would then skip all
	page  *page
}

// page holds what the last look at the log found. A message of watermill has room
// for an event's identifier and data alone, so the row behind each message waits
// here and is taken in the same order. To print the row into the message and parse
// it again would cost more than reading it.
type page struct {
	last int64 // idx of the last event; 0 before the first look
	rows []entry
}

// entry is an event of the log, and the idx that it must have, because idx is dense.
type entry struct {
	stored
	expected int64
}

// follows is an error if something of the log was lost before this event, or the event.
func (e entry) follows() error {
	if e.idx != e.expected {
		return missingIdx(e.expected)
	}
	return e.there()
}

// take returns the row of the next message.
func (p *page) take() entry {
	row := p.rows[0]
	p.rows = p.rows[1:]
	return row
}

// nextMessages is [readLog] from the consumer's offset on. It leaves out the events
// that the consumer skips. The last event of a page is always there, because it
// tells how far the page went. An event name that this program does not know is
// never skipped, and neither is what shows that the log is damaged: an idx whose event is
// missing, or one that does not follow the idx before it.
//
// The transaction does not wait for the disk: the rows of a handler and the offset
// are in one commit, so a crash loses both or neither. Code that reads these rows
// and must not lose them makes a commit of its own, which flushes them. The limit
// is part of the text, because with a parameter Postgres plans for a tenth of the
// table.
const nextMessages = `
WITH consumer AS (
	SELECT idx, set_config('synchronous_commit', 'off', true)
	FROM feed_offsets WHERE consumer = $1 FOR UPDATE SKIP LOCKED)
SELECT l.expected, l.idx, ` + ofStored + `
FROM (
	SELECT idx, position, lead(idx) OVER (ORDER BY idx) IS NULL AS last, (SELECT idx FROM consumer) + row_number() OVER (ORDER BY idx) AS expected
	FROM (SELECT idx, position FROM log WHERE idx > (SELECT idx FROM consumer) ORDER BY idx LIMIT %d) page) l
LEFT JOIN LATERAL (SELECT * FROM events WHERE position = l.position OFFSET 0) e ON true
WHERE l.last OR l.idx <> l.expected OR e.name IS NULL OR e.name <> ALL ($2)
ORDER BY l.idx`

// SelectQuery returns the query for the consumer's next page.
func (f feedSchema) SelectQuery(_, consumer string, _ wsql.OffsetsAdapter) wsql.Query {
	f.page.rows = nil
	return wsql.Query{Query: fmt.Sprintf(nextMessages, f.batch), Args: []any{consumer, f.skips}}
}

// SubscribeIsolationLevel returns READ COMMITTED. Under a stricter level a consumer
// that waited for another would fail instead of going on.
func (feedSchema) SubscribeIsolationLevel() sql.IsolationLevel { return sql.LevelReadCommitted }

// UnmarshalMessage makes a message of a row, and keeps the row in the page.
func (f feedSchema) UnmarshalMessage(row wsql.Scanner) (wsql.Row, error) {
	var s entry
	err := row.Scan(&s.expected, &s.idx, &s.id, &s.tenant, &s.stream, &s.version, &s.name, &s.data, &s.metadata, &s.at)
	if err != nil {
		return wsql.Row{}, err
	}
	f.page.last, f.page.rows = s.idx, append(f.page.rows, s)
	return wsql.Row{Offset: s.idx, Msg: message.NewMessage(s.id.String(), s.data)}, nil
}

// InsertQuery fails: events get into the feed by being appended.
func (feedSchema) InsertQuery(string, message.Messages) (wsql.Query, error) {
	return wsql.Query{}, errors.New("the feed is read-only: append events instead")
}

// SchemaInitializingQueries returns none, because migrations make the tables.
func (feedSchema) SchemaInitializingQueries(string) []wsql.Query { return nil }

// feedOffsets is watermill's offsets adapter over the table feed_offsets.
type feedOffsets struct{}

// BeforeSubscribingQueries returns the one that makes the consumer's row.
func (feedOffsets) BeforeSubscribingQueries(_, consumer string) []wsql.Query {
	return []wsql.Query{{
		Query: `INSERT INTO feed_offsets (consumer) VALUES ($1) ON CONFLICT DO NOTHING`,
		Args:  []any{consumer},
	}}
}

// AckMessageQuery returns the one that moves the consumer's offset to a row.
func (feedOffsets) AckMessageQuery(_ string, row wsql.Row, consumer string) wsql.Query {
	return wsql.Query{
		Query: `UPDATE feed_offsets SET idx = $2 WHERE consumer = $1`,
		Args:  []any{consumer, row.Offset},
	}
}

// ConsumedMessageQuery returns none: only acknowledged messages are noted.
func (feedOffsets) ConsumedMessageQuery(string, wsql.Row, string, []byte) wsql.Query {
	return wsql.Query{}
}

// NextOffsetQuery returns none, because [nextMessages] reads the offset itself.
func (feedOffsets) NextOffsetQuery(string, string) wsql.Query { return wsql.Query{} }

// SchemaInitializingQueries returns none, because migrations make the table.
func (feedOffsets) SchemaInitializingQueries(string) []wsql.Query { return nil }

// waiter is watermill's backoff manager. Watermill can only sleep for a given time,
// so the waiter waits itself: for the bell, and then for a pace, in which events
// gather. Each look at the log costs a transaction, however little it finds.
type waiter struct {
	consumer *Consumer
	closing  context.Context
	grown    <-chan struct{} // taken before each look at the log, so that no ring is missed
	schema   feedSchema
	seen     int64 // the last idx of the page before
}

// feedPace is the shortest wait between two looks that find little.
const feedPace = 10 * time.Millisecond

// HandleError waits until the next look at the log is due. Watermill calls it after
// each look, and need not wait any longer.
func (w *waiter) HandleError(_ watermill.LoggerAdapter, empty bool, err error) time.Duration {
	switch {
	case errors.Is(err, sql.ErrTxDone): // Consumer.take has rolled back, and the error is logged there
	case err != nil:
		w.consumer.Log.Warn("the feed could not be read; it is tried again",
			slog.String("consumer", w.consumer.Name), slog.Any("error", err))
		pause(w.closing, feedPoll, nil)
	case empty:
		pause(w.closing, feedPoll, w.grown)
	case w.schema.page.last-w.seen < int64(w.schema.batch): // a short page: the log has no more
		pause(w.closing, feedPace, nil)
	}
	w.seen = w.schema.page.last
	w.grown = w.consumer.Grown.Next()
	return 0
}

// Bell wakes everybody who waits for it. The zero value is ready to use. Ringing a
// nil Bell does nothing.
type Bell struct {
	mu    sync.Mutex
	waits chan struct{}
}

// Next returns a channel that the next [Bell.Ring] closes. Take it before you look
// for work: work that arrives during the look then ends the wait.
func (b *Bell) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waits == nil {
		b.waits = make(chan struct{})
	}
	return b.waits
}

// Ring wakes everybody who holds a channel of [Bell.Next].
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

// rung reports whether a bell has rung, and does not wait.
func rung(bell <-chan struct{}) bool {
	select {
	case <-bell:
		return true
	default:
		return false
	}
}

// pause waits for a bell, at most for a given time; a nil bell never rings.
func pause(ctx context.Context, atMost time.Duration, bell <-chan struct{}) {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-bell:
	case <-timer.C:
	}
}
