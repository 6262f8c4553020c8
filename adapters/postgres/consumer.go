package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	wsql "github.com/ThreeDotsLabs/watermill-sql/v3/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"

	"frontdesk/domain/event"
)

// A Handler reacts to one event inside the transaction that also moves its
// consumer on: it only writes rows, and never waits for the outside world. An
// event is handled once if it is handled at all; a failed attempt leaves
// nothing behind.
type Handler func(ctx context.Context, tx *sql.Tx, e event.Recorded) error

// Consumer hands every event of the log to a handler, in order. One process at
// a time consumes under a name. An event that cannot be handled stops the
// consumer there; it is tried again, and nothing behind it is.
type Consumer struct {
	Name    string  // permanent: it is the key of the consumer's offset
	DB      *sql.DB // from stdlib.OpenDBFromPool
	Codec   *event.Codec
	Handler Handler
	Grown   *Bell // wakes the consumer when the log has grown
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
	closing := make(chan struct{})
	subscriber, err := c.subscriber(closing, batch)
	if err != nil {
		return fmt.Errorf("make subscriber: %w", err)
	}
	messages, err := subscriber.Subscribe(context.WithoutCancel(ctx), topic)
	if err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	defer func() { close(closing); _ = subscriber.Close() }()
	for handled := 0; batch == feedBatch || handled < feedBatch; handled++ {
		select {
		case <-ctx.Done():
			return nil
		case msg := <-messages:
			if err := c.handle(ctx, msg); err != nil {
				return err
			}
			msg.Ack()
		}
	}
	return nil // past the trouble: subscribe afresh, in full batches
}

func (c *Consumer) subscriber(closing <-chan struct{}, batch int) (*wsql.Subscriber, error) {
	deadline := ackDeadline
	return wsql.NewSubscriber(c.DB, wsql.SubscriberConfig{
		ConsumerGroup:  c.Name,
		AckDeadline:    &deadline,
		BackoffManager: &waiter{consumer: c, closing: closing, grown: c.Grown.Next()},
		SchemaAdapter:  feedSchema{batch},
		OffsetsAdapter: feedOffsets{},
	}, quiet(c.Log))
}

// handle makes one attempt at an event, with a deadline. The attempt is over
// when it returns: finished, or thrown away together with its transaction.
// There is no savepoint for each event, because two round trips more would
// cost more than doing a batch again when something in it fails.
func (c *Consumer) handle(ctx context.Context, msg *message.Message) error {
	tx, ok := wsql.TxFromContext(msg.Context())
	if !ok {
		return errors.New("the message has no transaction")
	}
	e, err := recordedFrom(msg, c.Codec)
	if err != nil {
		return undo(tx, fmt.Errorf("idx %s: %w", msg.Metadata["idx"], err))
	}
	attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), orDefault(c.Limit, 10*time.Second))
	defer cancel()
	err = c.Handler(attempt, tx, e)
	if err == nil {
		err = attempt.Err() // it came back too late
	}
	if err != nil {
		return undo(tx, fmt.Errorf("idx %d (%s): %w", e.Idx, e.EventName(), err))
	}
	c.Metrics.handled(c.Name, e)
	return nil
}

// undo throws the transaction away, with the events of the same batch that
// were handled before. Watermill finds it gone and leaves the offset alone.
func undo(tx *sql.Tx, because error) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return errors.Join(because, fmt.Errorf("undo: %w", err))
	}
	return because
}

// waiter is watermill's backoff manager: it waits for the bell itself, because
// watermill only knows how to sleep.
type waiter struct {
	consumer *Consumer
	closing  <-chan struct{}
	grown    <-chan struct{} // taken before each look at the log, so that no bell is missed
}

// HandleError implements [wsql.BackoffManager]. It is called after each look.
func (w *waiter) HandleError(_ watermill.LoggerAdapter, empty bool, err error) time.Duration {
	if errors.Is(err, sql.ErrTxDone) {
		return 0 // undone by us, and logged there
	}
	if err != nil {
		w.consumer.Log.Warn("the feed could not be read; it is tried again",
			slog.String("consumer", w.consumer.Name), slog.Any("error", err))
		w.wait(nil)
	} else if empty {
		w.wait(w.grown)
	}
	w.grown = w.consumer.Grown.Next()
	return 0
}

func (w *waiter) wait(grown <-chan struct{}) {
	select {
	case <-w.closing:
	case <-grown:
	case <-time.After(feedPoll):
	}
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
