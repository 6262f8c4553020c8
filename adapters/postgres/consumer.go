package postgres

import (
	"cmp"
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

	"frontdesk/domain/event"
	"frontdesk/projections"
)

// A Handler reacts to one event in the transaction that also moves its consumer
// past the event. It only writes rows, and never waits for the outside world. A
// failed attempt leaves nothing behind, so an event takes effect exactly once.
type Handler func(ctx context.Context, tx *sql.Tx, e event.Recorded) error

// Consumer hands the events that it follows to a handler, in the order of the log.
// Only one process at a time consumes under a name. A consumer stops at an event
// that its handler fails on: it tries that event again and again, and goes no
// further until the handler succeeds. It stops at a hole in the log, too.
type Consumer struct {
	Name    string  // permanent: it is the key of the consumer's offset
	DB      *sql.DB // from stdlib.OpenDBFromPool
	Codec   *event.Codec
	Handler Handler
	Follows []event.Event // an event of each type that the handler is handed; nil for all types
	Grown   *Bell         // wakes the consumer when the log has grown
	Log     *slog.Logger
	Metrics *Metrics      // nil measures nothing
	Limit   time.Duration // for one attempt; 0 means 10 s
	Retry   time.Duration // between attempts at an event that fails; 0 means 1 s
}

const (
	feedBatch = 100
	feedPoll  = time.Second // between looks if no bell rings: another process may have grown the log
	// ackDeadline is so long that it never passes: watermill would then commit
	// what an unfinished handler has written. Consumer.Limit bounds an attempt.
	ackDeadline = time.Hour
)

// Run consumes until ctx ends, and finishes the event that it is handling then.
func (c *Consumer) Run(ctx context.Context) {
	batch := feedBatch
	for ctx.Err() == nil {
		err := c.consume(ctx, batch)
		if err == nil {
			batch = feedBatch
			continue
		}
		// From here on each event has a transaction of its own, so that the
		// good ones before the bad one are kept.
		batch = 1
		c.Metrics.stopped(c.Name)
		c.Log.ErrorContext(ctx, "consumer stopped; it is tried again",
			slog.String("consumer", c.Name), slog.Any("error", err))
		select {
		case <-ctx.Done():
		case <-time.After(cmp.Or(c.Retry, time.Second)):
		}
	}
}

// consume handles events until ctx ends or one fails. It closes the subscriber
// between two events, which commits those that were handled. To cancel the
// subscriber's context would roll them back.
func (c *Consumer) consume(ctx context.Context, batch int) error {
	closing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	schema := feedSchema{batch, c.skips(), &page{}}
	subscriber, err := c.subscriber(closing, schema)
	if err != nil {
		return fmt.Errorf("make subscriber: %w", err)
	}
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
	for handled := 0; batch == feedBatch || handled < feedBatch; handled++ {
		select {
		case <-ctx.Done():
			return nil
		case msg := <-messages:
			if err := c.take(ctx, msg, schema); err != nil {
				return err
			}
			msg.Ack()
			last = msg
		}
	}
	return nil // the trouble is past: subscribe again, in full batches
}

// take hands an event to the handler, unless the event is there only to show how
// far its page went. If the handler fails, take rolls the transaction back.
func (c *Consumer) take(ctx context.Context, msg *message.Message, schema feedSchema) error {
	row := schema.page.take()
	tx, ok := wsql.TxFromContext(msg.Context())
	if !ok {
		return errors.New("the message has no transaction")
	}
	if err := row.follows(); err != nil {
		return undo(tx, err)
	}
	if _, skipped := slices.BinarySearch(schema.skips, row.name); !skipped {
		if err := c.handle(ctx, tx, row); err != nil {
			return undo(tx, fmt.Errorf("idx %d (%s): %w", row.idx, row.name, err))
		}
	}
	c.Metrics.handled(c.Name, row.idx)
	return nil
}

// handle makes one attempt at an event, with a deadline. There is no savepoint for
// each event: its two round trips would cost every event more than it costs to
// repeat a batch now and then.
func (c *Consumer) handle(ctx context.Context, tx *sql.Tx, row entry) error {
	e, err := row.decode(c.Codec)
	if err != nil {
		return err
	}
	attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(c.Limit, 10*time.Second))
	defer cancel()
	if err := c.Handler(attempt, tx, e); err != nil {
		return err
	}
	return attempt.Err() // the handler may have come back too late
}

// undo rolls the transaction back, and with it the earlier events of the same
// batch. Watermill finds the transaction gone and leaves the offset alone.
func undo(tx *sql.Tx, because error) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return errors.Join(because, fmt.Errorf("undo: %w", err))
	}
	return because
}

func (c *Consumer) subscriber(closing context.Context, schema feedSchema) (*wsql.Subscriber, error) {
	deadline := ackDeadline
	return wsql.NewSubscriber(c.DB, wsql.SubscriberConfig{
		ConsumerGroup:  c.Name,
		AckDeadline:    &deadline,
		BackoffManager: &waiter{consumer: c, closing: closing, grown: c.Grown.Next(), schema: schema},
		SchemaAdapter:  schema,
		OffsetsAdapter: feedOffsets{},
	}, quiet(c.Log))
}

// skips returns the names of events that the handler is not handed.
func (c *Consumer) skips() []string {
	if c.Follows == nil {
		return []string{}
	}
	return c.Codec.Without(c.Follows...)
}

// quiet lets watermill write to our log, with its information as debugging: what
// it reports there is not worth an operator's attention.
func quiet(log *slog.Logger) watermill.LoggerAdapter {
	return watermill.NewSlogLoggerWithLevelMapping(log, map[slog.Level]slog.Level{
		slog.LevelInfo: slog.LevelDebug,
	})
}

// Following returns the handler that moves a projection past each event of the
// feed.
func Following(p projections.Projection) Handler {
	return func(ctx context.Context, tx *sql.Tx, e event.Recorded) (err error) {
		p.Project(e, func(statement string, args ...any) {
			if err != nil {
				return
			}
			if _, err = tx.ExecContext(ctx, statement, args...); err != nil {
				err = fmt.Errorf("project %s: %w", e.EventName(), err)
			}
		})
		return err
	}
}
