package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v3/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
)

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
