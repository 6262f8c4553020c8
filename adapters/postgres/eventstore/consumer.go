package eventstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	wsql "github.com/ThreeDotsLabs/watermill-sql/v3/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"frontdesk/adapters/background"
	"frontdesk/adapters/tracing"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// A Handler reacts to a page of events, in the order of the log, in the transaction
// that also moves its consumer past them. The connection is in that transaction. The
// handler only writes rows, and never waits for the outside world: a page has 10 s. A
// failed attempt leaves nothing behind, so an event takes effect exactly once.
type Handler func(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error

// Consumer hands the events that it follows to a handler, in the order of the log.
// Only one process at a time consumes under a name. A page that its handler fails on is
// handled again event by event. A consumer stops at an event that fails on its own: it
// retries that event, and goes no further until the handler succeeds. It also stops at a
// hole in the log.
type Consumer struct {
	Name    string  // permanent: it is the key of the consumer's offset
	DB      *sql.DB // from stdlib.OpenDBFromPool
	Tail    *Tail   // of the same database; one serves all consumers of a process
	Handler Handler
	Alone   Handler       // for one event of a page that failed; nil means Handler
	Follows []event.Event // an event of each type that the handler is handed; nil for all types
	Log     *slog.Logger
	Metrics *Metrics        // nil measures nothing
	Traces  *tracing.Tracer // nil traces nothing
	Limit   time.Duration   // for one attempt; 0 means 10 s
	Retry   time.Duration   // between attempts at an event that fails; 0 means 1 s
}

// ackDeadline is so long that it never passes: watermill would then commit what an
// unfinished handler has written. Consumer.Limit bounds an attempt.
const ackDeadline = time.Hour

// errPage is the error of a page that has failed, and whose events have not been tried one
// by one.
var errPage = errors.New("a page could not be handled")

// Run consumes until ctx ends, and finishes the page that it is handling then.
func (c *Consumer) Run(ctx context.Context) {
	f := &subscription{Consumer: c, skips: c.skips()}
	for ctx.Err() == nil {
		err := f.consume(ctx)
		switch {
		case err == nil:
		case errors.Is(err, errPage):
			c.Log.WarnContext(ctx, "a page could not be handled; its events are handled one at a time",
				slog.String("consumer", c.Name), slog.Any("error", err))
		default:
			c.Metrics.stopped(c.Name)
			c.Log.ErrorContext(ctx, "consumer stopped; retrying",
				slog.String("consumer", c.Name), slog.Any("error", err))
			background.Sleep(ctx, cmp.Or(c.Retry, time.Second))
		}
	}
}

// consume handles pages until ctx ends or one fails. It closes the subscriber between
// two pages, which commits the handled ones. To cancel the subscriber's context would
// roll them back.
func (f *subscription) consume(ctx context.Context) error {
	closing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	f.closing = closing
	subscriber, err := f.subscriber()
	if err != nil {
		return fmt.Errorf("make subscriber: %w", err)
	}
	defer f.release()
	messages, err := subscriber.Subscribe(context.WithoutCancel(ctx), topic)
	if err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	var last *message.Message // the last one that was acknowledged
	defer func() {
		if last != nil {
			<-last.Context().Done() // wait until watermill has seen it, or it might commit without the offset
		}
		stop()
		_ = subscriber.Close()
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case msg := <-messages:
			if err := f.take(ctx, msg); err != nil {
				return err
			}
			msg.Ack()
			last = msg
		}
	}
}

// take makes one attempt at a page, with a deadline. If it fails, take rolls the
// transaction back.
func (f *subscription) take(ctx context.Context, msg *message.Message) error {
	tx, ok := wsql.TxFromContext(msg.Context())
	if !ok {
		return errors.New("the message has no transaction")
	}
	attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(f.Limit, 10*time.Second))
	defer cancel()
	err := f.conn.Raw(func(driver any) error { return f.handle(attempt, driver.(*stdlib.Conn).Conn()) })
	if err != nil {
		return undo(tx, err)
	}
	f.Metrics.handled(f.Name, f.page.upto)
	return nil
}

// handle reads the page and hands over the events that the consumer follows. It sets no
// savepoint for each event: its two round trips would cost every event more than it costs
// to repeat a page now and then.
func (f *subscription) handle(ctx context.Context, conn *pgx.Conn) error {
	events, err := f.Tail.page(ctx, conn, f.page.from, f.page.epoch)
	if err != nil {
		return err
	}
	if len(events) == 0 {
		return missingIdx(f.page.from + 1)
	}
	alone := f.page.from < f.alone
	page, err := f.followed(events, alone)
	if err != nil || len(page) == 0 {
		return err
	}
	err = f.hand(ctx, conn, page, alone)
	switch {
	case err == nil:
		return nil
	case alone:
		return fmt.Errorf("idx %d (%s): %w", page[0].Idx, page[0].EventName(), err)
	}
	f.alone = f.page.upto
	return fmt.Errorf("%w: idx %d to %d: %w", errPage, page[0].Idx, f.page.upto, err)
}

// hand hands the events over. A handler that returns too late has failed.
func (f *subscription) hand(ctx context.Context, conn *pgx.Conn, page []event.Recorded, alone bool) error {
	handler := f.Handler
	if alone && f.Alone != nil {
		handler = f.Alone
	}
	ctx, spans := f.Traces.Handling(ctx, f.Name, page)
	err := handler(ctx, conn, page)
	if err == nil {
		err = ctx.Err()
	}
	spans.End(err != nil)
	return err
}

// followed returns the events to hand over, and notes where they end: at the end of the log
// as the transaction has seen it, before an unreadable event, or at the first event if it is
// to be handled on its own.
func (f *subscription) followed(events []*tailed, alone bool) (page []event.Recorded, err error) {
	for _, e := range events {
		if e.Idx > f.page.head || alone && len(page) > 0 {
			break
		}
		if f.follows(e) {
			recorded, err := e.as(f.Tail.codec)
			if err != nil {
				return page, f.stopsAt(e, err)
			}
			page = append(page, recorded)
		}
		f.page.upto = e.Idx
	}
	return page, nil
}

// stopsAt returns an error if the page ends at an unreadable event, with nothing before it.
func (f *subscription) stopsAt(e *tailed, because error) error {
	if f.page.upto > f.page.from {
		return nil
	}
	return fmt.Errorf("idx %d (%s): %w", e.Idx, e.Name, because)
}

// undo rolls the transaction back, and with it the whole page. Watermill finds the
// transaction gone and leaves the offset alone.
func undo(tx *sql.Tx, because error) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return errors.Join(because, fmt.Errorf("undo: %w", err))
	}
	return because
}

func (f *subscription) subscriber() (*wsql.Subscriber, error) {
	deadline := ackDeadline
	return wsql.NewSubscriber(beginner{f.DB, f}, wsql.SubscriberConfig{
		ConsumerGroup:  f.Name,
		AckDeadline:    &deadline,
		BackoffManager: f,
		SchemaAdapter:  f,
		OffsetsAdapter: f,
	}, quiet(f.Log))
}

// skips returns the names of events that the handler is not handed.
func (c *Consumer) skips() []string {
	if c.Follows == nil {
		return []string{}
	}
	return c.Tail.codec.Without(c.Follows...)
}

// quiet lets watermill write to our log, with its information as debugging, because that is
// not worth an operator's attention.
func quiet(log *slog.Logger) watermill.LoggerAdapter {
	return watermill.NewSlogLoggerWithLevelMapping(log, map[slog.Level]slog.Level{
		slog.LevelInfo: slog.LevelDebug,
	})
}

// Following returns the handler that moves a projection past each event of the feed, in
// one round trip a page.
func Following(p projections.Projection) Handler {
	return func(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error {
		var statements []projections.Statement
		for _, e := range page {
			statements = append(statements, projections.StatementsFor(e, p)...)
		}
		batch := &pgx.Batch{}
		projections.Queue(batch, statements)
		if err := conn.SendBatch(ctx, batch).Close(); err != nil {
			return fmt.Errorf("project %s: %w", p.Name(), err)
		}
		return nil
	}
}
