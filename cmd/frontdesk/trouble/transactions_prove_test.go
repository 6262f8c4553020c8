//go:build prove

package trouble_test

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
)

// The program appends in one round trip. These writers append in transactions that they
// leave open, so that positions are drawn early and become visible late, or never.

// inTx lets a store append inside a transaction.
type inTx struct{ pgx.Tx }

// BeginTx begins a nested transaction, at a savepoint.
func (tx inTx) BeginTx(ctx context.Context, _ pgx.TxOptions) (pgx.Tx, error) { return tx.Begin(ctx) }

// appendIn appends a part of a deed in an open transaction. Reads for a later part are not
// recorded, because the first part does not come after them.
func (x *writer) appendIn(ctx context.Context, tx pgx.Tx, d *deed) error {
	first, before := d.events == 0, d.after
	changes, err := x.changes(ctx, d, 1)
	if err != nil {
		return err
	}
	if !first {
		d.after = before
	}
	store := eventstore.Store{DB: postgres.On(inTx{tx}), Codec: x.store.Codec, Keys: x.store.Keys, AtOnce: x.store.AtOnce, Now: x.store.Now, Appended: x.store.Appended}
	recorded, err := store.Append(d.as(ctx), changes...)
	for _, e := range recorded {
		d.ids = append(d.ids, e.ID)
	}
	return err
}

func (x *writer) dither(ctx context.Context) {
	wait(ctx, time.Duration(x.dice.IntN(10)*x.dice.IntN(80))*time.Millisecond)
}

// within makes a deed in a transaction: fill returns when all is appended, and end ends the
// transaction and returns the deed's fate. A failure before the end counts as refused,
// because no commit was requested.
func (x *writer) within(ctx context.Context, fill func(pgx.Tx, *deed) error, end func(pgx.Tx, deed) fate) {
	d := x.begin()
	d.fate = refused
	defer func() { x.ledger.note(d) }()
	conn, err := x.calls.Acquire(ctx)
	if err != nil {
		return
	}
	defer conn.Release()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if err := fill(tx, &d); err != nil {
		return
	}
	x.dither(ctx)
	d.fate = end(tx, d)
}

// dawdle leaves its transaction open for a while, and then may change its mind.
func (x *writer) dawdle(ctx context.Context) {
	x.within(ctx, func(tx pgx.Tx, d *deed) error { return x.appendIn(ctx, tx, d) }, func(tx pgx.Tx, _ deed) fate {
		if x.dice.IntN(3) == 0 {
			return refused
		}
		return fateBy(tx.Commit(ctx))
	})
}

// undoHalf appends twice, and in between something that it takes back.
func (x *writer) undoHalf(ctx context.Context) {
	x.within(ctx, func(tx pgx.Tx, d *deed) error {
		if err := x.appendIn(ctx, tx, d); err != nil {
			return err
		}
		if err := x.undone(ctx, tx); err != nil {
			return err
		}
		return x.appendIn(ctx, tx, d)
	}, func(tx pgx.Tx, _ deed) fate { return fateBy(tx.Commit(ctx)) })
}

// undone appends behind a savepoint, and goes back to it.
func (x *writer) undone(ctx context.Context, tx pgx.Tx) error {
	d := x.begin()
	d.fate = refused
	defer func() { x.ledger.note(d) }()
	part, err := tx.Begin(ctx)
	if err != nil {
		return err
	}
	if err := x.appendIn(ctx, part, &d); err == nil {
		x.dither(ctx)
	}
	return part.Rollback(ctx)
}

// prepare leaves a prepared transaction behind. It may come back and finish it. If it does
// not, or does not learn the result, the tidying after the round finishes it.
func (x *writer) prepare(ctx context.Context) {
	x.within(ctx, func(tx pgx.Tx, d *deed) error { return x.appendIn(ctx, tx, d) }, func(tx pgx.Tx, d deed) fate {
		if _, err := tx.Exec(ctx, `PREPARE TRANSACTION '`+d.name+`'`); err != nil {
			return fateBy(err)
		}
		if x.dice.IntN(4) == 0 {
			return unknown
		}
		x.dither(ctx)
		return x.finish(ctx, d.name, x.dice.IntN(3) > 0)
	})
}

// finish commits a prepared transaction, or rolls it back.
func (x *writer) finish(ctx context.Context, name string, commit bool) fate {
	_, err := x.calls.Exec(ctx, finishing(name, commit))
	switch {
	case err != nil:
		return unknown
	case commit:
		return acknowledged
	}
	return refused
}

func finishing(name string, commit bool) string {
	if commit {
		return `COMMIT PREPARED '` + name + `'`
	}
	return `ROLLBACK PREPARED '` + name + `'`
}
