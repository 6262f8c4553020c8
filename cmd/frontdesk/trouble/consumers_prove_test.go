//go:build prove

package trouble_test

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
)

// handledTable is where the consumers record the events that they receive, in the transaction
// that advances their offset. It has no unique constraint: duplicates would show.
const handledTable = `
CREATE TABLE handled (n bigserial PRIMARY KEY, consumer text NOT NULL, idx bigint NOT NULL);
GRANT SELECT, INSERT ON handled TO frontdesk_app;
GRANT USAGE ON handled_n_seq TO frontdesk_app`

// record handles an event by writing it down.
func (w *world) record(consumer string) eventstore.Handler {
	return func(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error {
		batch := &pgx.Batch{}
		for _, e := range page {
			batch.Queue(`INSERT INTO handled (consumer, idx) VALUES ($1, $2)`, consumer, e.Idx)
		}
		return conn.SendBatch(ctx, batch).Close()
	}
}

var errMood = errors.New("not in the mood")

// moodily makes a handler fail before or after it has written, in all ways in which a handler
// can, at the rate of the round. After a failure a consumer handles events one by one for a
// while, so both pages and single events are covered.
func (w *world) moodily(handle eventstore.Handler) eventstore.Handler {
	return func(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error {
		percent, way := w.mood()
		if percent >= w.failing.Load() {
			return handle(ctx, conn, page)
		}
		w.count("attempts failed")
		if way == 0 {
			return errMood
		}
		if err := handle(ctx, conn, page); err != nil || way == 1 {
			return cmp.Or(err, errMood)
		}
		_, err := conn.Exec(ctx, `SELECT 1/0`) // and the transaction with it
		return err
	}
}

// mood throws the moody consumers' dice, which they share.
func (w *world) mood() (percent int64, way int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moods.Int64N(100), w.moods.IntN(3)
}
