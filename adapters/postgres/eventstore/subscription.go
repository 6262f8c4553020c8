package eventstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	wsql "github.com/ThreeDotsLabs/watermill-sql/v3/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/uuid"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/domain/epoch"
)

// The feed is watermill-sql reading the log itself, so no message is stored twice.
// A consumer group is one row of feed_offsets: the process that locks the row
// consumes. One message is one page of the log.

// topic is the feed's only one. It has a name because watermill requires one.
const topic = "log"

// subscription adapts a consumer to watermill's subscriber: where the next page is, how a
// transaction begins, how an offset is moved, and when to look again. Watermill and the
// consumer take turns, so it needs no lock.
type subscription struct {
	*Consumer
	skips   []string        // names of events that the consumer is not handed, sorted
	closing context.Context // ends every wait
	conn    *sql.Conn       // of the transaction under way, if there is one
	page    page
	alone   int64 // up to this idx, events are handled one at a time
}

// page is a stretch of the log to handle in one transaction.
type page struct {
	begun clock.Stopwatch
	known tailEnd   // where the tail ended when the page was asked for
	epoch uuid.UUID // the event that began the epoch
	from  int64     // the consumer's offset
	head  int64
	upto  int64 // the last idx that was handled or passed over
}

// nextPage locks the consumer's offset, unless another process has, and reads the head and
// the epoch of the log, and its event at the end of the tail. It always returns a row.
//
// The transaction does not wait for the disk: the rows of a handler and the offset
// are in one commit, so a crash loses both or neither. Code that reads these rows
// and must not lose them makes a commit of its own, which flushes them.
const nextPage = `
WITH consumer AS (
	SELECT idx, set_config('synchronous_commit', 'off', true)
	FROM feed_offsets WHERE consumer = $1 FOR UPDATE SKIP LOCKED)
SELECT coalesce(c.idx, s.head), s.head, ` + newestEpoch + `,
	coalesce((SELECT id FROM events WHERE position = (SELECT position FROM log WHERE idx = $3)), '00000000-0000-0000-0000-000000000000')
FROM sequencer s LEFT JOIN consumer c ON true`

// SelectQuery returns the query for the consumer's next page.
func (f *subscription) SelectQuery(_, consumer string, _ wsql.OffsetsAdapter) wsql.Query {
	f.page = page{begun: clock.Start(), known: f.Tail.last()}
	return wsql.Query{Query: nextPage, Args: []any{consumer, epoch.StreamOf().ID, f.page.known.idx}}
}

// SubscribeIsolationLevel returns READ COMMITTED. Under a stricter level a consumer
// that waited for another would fail instead of going on.
func (*subscription) SubscribeIsolationLevel() sql.IsolationLevel { return sql.LevelReadCommitted }

// UnmarshalMessage makes a message of a page, if there is one for this process. The tail is
// valid as long as the database has the same event at its end.
func (f *subscription) UnmarshalMessage(row wsql.Scanner) (wsql.Row, error) {
	var there uuid.UUID
	if err := row.Scan(&f.page.from, &f.page.head, &f.page.epoch, &there); err != nil {
		return wsql.Row{}, err
	}
	if f.page.known.id != there {
		f.Tail.forget()
	}
	f.page.upto = f.page.from
	if f.page.head <= f.page.from {
		return wsql.Row{}, sql.ErrNoRows
	}
	return wsql.Row{Offset: f.page.head, Msg: message.NewMessage("", nil)}, nil
}

// AckMessageQuery returns the one that moves the consumer's offset to the end of the page.
func (f *subscription) AckMessageQuery(_ string, _ wsql.Row, consumer string) wsql.Query {
	return wsql.Query{
		Query: `UPDATE feed_offsets SET idx = $2 WHERE consumer = $1`,
		Args:  []any{consumer, f.page.upto},
	}
}

// BeforeSubscribingQueries returns the one that makes the consumer's row.
func (*subscription) BeforeSubscribingQueries(_, consumer string) []wsql.Query {
	return []wsql.Query{{
		Query: `INSERT INTO feed_offsets (consumer) VALUES ($1) ON CONFLICT DO NOTHING`,
		Args:  []any{consumer},
	}}
}

// InsertQuery fails: events get into the feed by being appended.
func (*subscription) InsertQuery(string, message.Messages) (wsql.Query, error) {
	return wsql.Query{}, errors.New("the feed is read-only: append events instead")
}

// SchemaInitializingQueries returns none, because migrations make the tables.
func (*subscription) SchemaInitializingQueries(string) []wsql.Query { return nil }

// ConsumedMessageQuery returns none: only acknowledged pages are noted.
func (*subscription) ConsumedMessageQuery(string, wsql.Row, string, []byte) wsql.Query {
	return wsql.Query{}
}

// NextOffsetQuery returns none, because [nextPage] reads the offset itself.
func (*subscription) NextOffsetQuery(string, string) wsql.Query { return wsql.Query{} }

// beginner begins watermill's transactions.
type beginner struct {
	*sql.DB
	sub *subscription
}

// BeginTx begins on a connection that the feed knows, because handlers speak pgx.
func (b beginner) BeginTx(ctx context.Context, options *sql.TxOptions) (*sql.Tx, error) {
	b.sub.release()
	conn, err := b.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	b.sub.conn = conn
	return conn.BeginTx(ctx, options)
}

// release gives the connection of the last transaction back.
func (f *subscription) release() {
	if f.conn != nil {
		_ = f.conn.Close()
		f.conn = nil
	}
}

const (
	feedPoll = time.Second // between looks at most: another process may have grown the log
	feedSkip = 1000        // events that are passed over without a look, at most
	// feedPace is the shortest time between the beginnings of two looks that find little,
	// so that events that come meanwhile are handled together. An event after a rest does
	// not wait.
	feedPace = 3 * time.Millisecond
)

// HandleError waits until the next look is due, because watermill can only sleep for a
// given time. It is called after each look, whose transaction has ended.
func (f *subscription) HandleError(_ watermill.LoggerAdapter, _ bool, err error) time.Duration {
	f.release()
	switch {
	case errors.Is(err, sql.ErrTxDone): // Consumer.take has rolled back, and the error is logged there
	case err != nil:
		f.Log.Warn("the feed could not be read; retrying",
			slog.String("consumer", f.Name), slog.Any("error", err))
		background.Sleep(f.closing, feedPoll)
	case f.page.upto >= f.page.head:
		f.rest()
	}
	return 0
}

// rest waits until the log has something for the consumer. A look is a transaction,
// however little it finds, so rest reads the tail first. It never passes over an event with
// an unknown name.
func (f *subscription) rest() {
	ctx, cancel := context.WithTimeout(f.closing, feedPoll)
	defer cancel()
	took := f.page.begun.Elapsed()
	background.Sleep(ctx, paceAfter(took, feedPace)-took)
	for end := f.page.head; ctx.Err() == nil && end-f.page.head < feedSkip; {
		grown := f.Tail.Grown.Next()
		events, err := f.Tail.recent(ctx, end)
		if err != nil || slices.ContainsFunc(events, f.follows) {
			return // the look reports the error
		}
		end += int64(len(events))
		if len(events) == 0 {
			background.Wait(ctx, feedPoll, grown)
		}
	}
}

// follows reports whether the consumer has to be handed an event.
func (f *subscription) follows(e *tailed) bool {
	_, skipped := slices.BinarySearch(f.skips, e.Name)
	return !skipped
}
