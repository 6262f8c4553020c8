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
	Follows []event.Event // what the handler has a use for, and is handed; nil is everything
	Grown   *Bell         // wakes the consumer when the log has grown
	Log     *slog.Logger
	Metrics *Metrics      // nil measures nothing
	Limit   time.Duration // for one attempt; 0 means 10 s
	Pace    time.Duration // shortest wait between two looks that find little; 0 means 10 ms
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
	skips := c.skips()
	subscriber, err := c.subscriber(closing, batch, skips)
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
			if err := c.take(ctx, msg, skips); err != nil {
				return err
			}
			msg.Ack()
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

func (c *Consumer) subscriber(closing <-chan struct{}, batch int, skips []string) (*wsql.Subscriber, error) {
	deadline, look := ackDeadline, &look{}
	return wsql.NewSubscriber(c.DB, wsql.SubscriberConfig{
		ConsumerGroup: c.Name,
		AckDeadline:   &deadline,
		BackoffManager: &waiter{
			consumer: c, closing: closing, grown: c.Grown.Next(), look: look, batch: int64(batch), pace: orDefault(c.Pace, 10*time.Millisecond),
		},
		SchemaAdapter:  feedSchema{batch, skips, look},
		OffsetsAdapter: feedOffsets{},
	}, quiet(c.Log))
}

// take hands an event to the handler, unless it only tells how far a page went.
func (c *Consumer) take(ctx context.Context, msg *message.Message, skips []string) error {
	if _, skipped := slices.BinarySearch(skips, msg.Metadata["name"]); skipped {
		return nil
	}
	return c.handle(ctx, msg)
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
	c.Metrics.handled(c.Name, e.Idx)
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
