package postgres

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

	"frontdesk/domain/event"
	"frontdesk/projections"
)

// A Handler reacts to one event inside the transaction that also moves its
// consumer on: it only writes rows, and never waits for the outside world. An
// event is handled once if it is handled at all; a failed attempt leaves
// nothing behind.
type Handler func(ctx context.Context, tx *sql.Tx, e event.Recorded) error

// Consumer hands every event of the log that it follows to a handler, in order.
// One process at a time consumes under a name. An event that cannot be handled
// stops the consumer there; it is tried again, and nothing behind it is.
type Consumer struct {
	Name    string  // permanent: it is the key of the consumer's offset
	DB      *sql.DB // from stdlib.OpenDBFromPool
	Codec   *event.Codec
	Handler Handler
	Follows []event.Event // what the handler has a use for, and is handed; nil is everything
	Grown   *Bell         // wakes the consumer when the log has grown
	Log     *slog.Logger
	Metrics *Metrics      // nil measures nothing
	Limit   time.Duration // for one attempt; 0 means 10 s
	Retry   time.Duration // between attempts at an event that fails; 0 means 1 s
}

const (
	feedBatch = 100
	feedPoll  = time.Second // when no bell rings: another process may have grown the log
	// ackDeadline is never met: at its end watermill would commit what an
	// unfinished handler has written. Consumer.Limit is the one that counts.
	ackDeadline = time.Hour
)

// Run consumes until ctx ends, and finishes the event it is at.
func (c *Consumer) Run(ctx context.Context) {
	batch := feedBatch
	for ctx.Err() == nil {
		err := c.consume(ctx, batch)
		if err == nil {
			batch = feedBatch
			continue
		}
		// One event a transaction from here on, so that the good ones before
		// the bad one are kept.
		batch = 1
		c.Metrics.stopped(c.Name)
		c.Log.ErrorContext(ctx, "consumer stopped; it is tried again",
			slog.String("consumer", c.Name), slog.Any("error", err))
		select {
		case <-ctx.Done():
		case <-time.After(orDefault(c.Retry, time.Second)):
		}
	}
}

// consume handles events until ctx ends or one fails. Closing the subscriber
// between two events commits those that were handled; cancelling its context
// would throw them away.
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
	var last *message.Message // that was acknowledged
	defer func() {
		if last != nil {
			<-last.Context().Done() // watermill has heard of it, or it might commit without the offset
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
	return nil // past the trouble: subscribe afresh, in full batches
}

// skips is the names that the handler has no use for.
func (c *Consumer) skips() []string {
	if c.Follows == nil {
		return []string{}
	}
	return c.Codec.Without(c.Follows...)
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

// quiet is our log as watermill writes to it: its ordinary comings and goings
// are not ours.
func quiet(log *slog.Logger) watermill.LoggerAdapter {
	return watermill.NewSlogLoggerWithLevelMapping(log, map[slog.Level]slog.Level{
		slog.LevelInfo: slog.LevelDebug,
	})
}

func orDefault[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// take hands an event to the handler, unless it only tells how far a page went.
// When it fails, the transaction is thrown away.
func (c *Consumer) take(ctx context.Context, msg *message.Message, schema feedSchema) error {
	row := schema.page.take()
	tx, ok := wsql.TxFromContext(msg.Context())
	if !ok {
		return errors.New("the message has no transaction")
	}
	if _, skipped := slices.BinarySearch(schema.skips, row.name); !skipped {
		if err := c.handle(ctx, tx, row); err != nil {
			return undo(tx, fmt.Errorf("idx %d (%s): %w", row.idx, row.name, err))
		}
	}
	c.Metrics.handled(c.Name, row.idx)
	return nil
}

// handle makes one attempt at an event, with a deadline. The attempt is over
// when it returns. There is no savepoint for each event, because two round trips
// more would cost more than doing a batch again when something in it fails.
func (c *Consumer) handle(ctx context.Context, tx *sql.Tx, row stored) error {
	e, err := row.decode(c.Codec)
	if err != nil {
		return err
	}
	attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), orDefault(c.Limit, 10*time.Second))
	defer cancel()
	if err := c.Handler(attempt, tx, e); err != nil {
		return err
	}
	return attempt.Err() // it may have come back too late
}

// undo throws the transaction away, with the events of the same batch that
// were handled before. Watermill finds it gone and leaves the offset alone.
func undo(tx *sql.Tx, because error) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return errors.Join(because, fmt.Errorf("undo: %w", err))
	}
	return because
}

// Following is the handler that moves a projection along the feed.
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
