package signin

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// How many tries there are before the next one has to wait.
const (
	sourceLimit  = 5  // of one account, from one source
	accountLimit = 50 // of one account, from everywhere
	everywhere   = "" // the source under which tries from everywhere are counted
)

// The wait doubles with each further try, up to longest times the first wait.
// An account that nobody has tried for a day is forgotten.
const (
	longest     = 16
	forgetAfter = 24 * time.Hour
)

// Tries counts tries to sign in, and makes the next one wait after too many. It
// never asks whether the account exists.
type Tries struct {
	DB      Database
	Lockout time.Duration // the first wait
	Now     func() time.Time
}

// DefaultLockout is the first wait unless a deployment says otherwise.
const DefaultLockout = time.Minute

// Account is what tries are counted for: somebody's username, or a name that
// is nobody's.
type Account struct{ Tenant, Username string }

// key is stored in place of both names: people type passwords for usernames, and what
// somebody makes up is nobody's practice.
func (a Account) key() []byte {
	sum := sha256.Sum256([]byte(a.Tenant + "\x00" + a.Username))
	return sum[:]
}

// reserve counts a try unless the account has to wait. The lock on the row makes
// simultaneous tries take turns, so that no two have the same number. The number
// decides on the wait before the password is even looked at.
const reserve = `
INSERT INTO sign_in_tries AS t (account, source, tries, last_at, locked_until)
VALUES ($1, $2, 1, $3, $3)
ON CONFLICT (tenant, account, source) DO UPDATE SET
	tries = CASE WHEN t.last_at < $4 THEN 1 ELSE t.tries + 1 END,
	last_at = $3,
	locked_until = CASE WHEN t.last_at < $4 OR t.tries + 1 < $5 THEN $3
		ELSE $3::timestamptz + $6::interval * least(2 ^ least(t.tries + 1 - $5, 30), $7) END
WHERE t.locked_until <= $3
RETURNING locked_until`

// Reserve takes one try of an account from a source, before the password is
// looked at. until is when the next try may follow: now, or after a wait. If no
// try is left, taken is false and until says when there will be one. It also drops
// some counts that are forgotten.
func (t Tries) Reserve(ctx context.Context, try Try) (until time.Time, taken bool, err error) {
	err = t.DB.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) (err error) {
		until, err = t.count(ctx, tx, try.Account, try.Source)
		return err // if one of the counts has no try left, both are rolled back
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		until, err = t.LockedUntil(ctx, try)
		return until, false, err
	case err != nil:
		return time.Time{}, false, fmt.Errorf("reserve a try: %w", err)
	}
	return until.UTC(), true, t.sweep(ctx)
}

// count adds a try to the count of its source and to that of all sources. The
// order is always the same, so that no two tries wait for each other. If a count
// has no try left, the error is [pgx.ErrNoRows].
func (t Tries) count(ctx context.Context, tx pgx.Tx, a Account, source string) (until time.Time, err error) {
	now := t.Now().UTC()
	for _, c := range []struct {
		source string
		limit  int
	}{{source, sourceLimit}, {everywhere, accountLimit}} {
		var locked time.Time
		err := tx.QueryRow(ctx, reserve, a.key(), c.source, now,
			now.Add(-forgetAfter), c.limit, t.Lockout, longest).Scan(&locked)
		if err != nil {
			return until, err
		}
		until = later(until, locked)
	}
	return until, nil
}

// LockedUntil returns when the next try may follow; now or earlier if at once.
func (t Tries) LockedUntil(ctx context.Context, try Try) (until time.Time, err error) {
	err = t.DB.QueryRow(ctx, `
		SELECT coalesce(max(locked_until), $3) FROM sign_in_tries
		WHERE tenant = '' AND account = $1 AND source IN ($2, '')`,
		try.key(), try.Source, t.Now()).Scan(&until)
	if err != nil {
		return until, fmt.Errorf("read the wait: %w", err)
	}
	return until.UTC(), nil
}

// Forget gives an account its tries back, from a source and from everywhere,
// because somebody has signed in.
func (t Tries) Forget(ctx context.Context, a Account, source string) error {
	batch := &pgx.Batch{}
	for _, s := range []string{source, everywhere} {
		batch.Queue(`DELETE FROM sign_in_tries WHERE tenant = '' AND account = $1 AND source = $2`, a.key(), s)
	}
	if err := t.DB.ExecBatch(ctx, batch); err != nil {
		return fmt.Errorf("forget tries: %w", err)
	}
	return nil
}

// sweep drops more of the counts that are forgotten than a try can add. It passes over
// rows that another process holds.
func (t Tries) sweep(ctx context.Context) error {
	_, err := t.DB.Exec(ctx, `
		DELETE FROM sign_in_tries WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM sign_in_tries WHERE last_at < $1 ORDER BY last_at LIMIT 100 FOR UPDATE SKIP LOCKED))`, t.Now().Add(-forgetAfter))
	if err != nil {
		return fmt.Errorf("drop old tries: %w", err)
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
