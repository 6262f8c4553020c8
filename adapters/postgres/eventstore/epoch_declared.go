package eventstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
)

// DeclareEpoch begins an epoch because an operator says so, as the owner of the database.
// at is its number, and 0 the next one. What was still to be told is not told any more, as
// after every restore (D49, D77).
func (s *Sequencer) DeclareEpoch(ctx context.Context, at int, reason string, by event.Actor) (begun epoch.Begun, err error) {
	ctx, cancel := context.WithTimeout(ctx, epochLimit)
	defer cancel()
	err = postgres.On(s.Pool).InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM sequencer FOR UPDATE`); err != nil {
			return err
		}
		found, err := historyOf(ctx, tx)
		if err != nil {
			return err
		}
		if begun, err = epoch.Declare(found.log, at, reason); err != nil {
			return err
		}
		batch, err := s.appending(begun, found.epochs, by)
		if err != nil {
			return err
		}
		batch.Queue(`SELECT declare_epoch($1, $2, $3)`, epoch.StreamOf().ID, found.epochs+1, s.Batch)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return epoch.Begun{}, fmt.Errorf("begin an epoch (run this as the owner of the database): %w", err)
	}
	return begun, nil
}
