package signin

import (
	"context"
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

// count is how many tries of an account there are from a source, or from everywhere. Its
// row is stored under a mark of all three: an address may be that of a home, people type
// passwords as usernames, and the practice may not exist.
type count struct {
	marks [][]byte // one for each key that is kept, the newest last
	limit int
}

// older are the marks under which the row still is without a try since the newest key.
func (c count) older() [][]byte { return c.marks[:len(c.marks)-1] }

// mark is the one under which the next try is counted.
func (c count) mark() []byte { return c.marks[len(c.marks)-1] }

// counts are those that a try belongs to, always in the same order, so that no two tries
// wait for each other.
func (t Tries) counts(ctx context.Context, a Account, source string) ([]count, error) {
	keys := triesKeys(t.DB)
	markers, err := keys.markers(ctx, t.Now())
	both := []count{{limit: sourceLimit}, {limit: accountLimit}}
	for _, m := range markers {
		for n, from := range []string{source, everywhere} {
			both[n].marks = append(both[n].marks, m.of(from+"\x00"+a.Tenant+"\x00"+a.Username))
		}
	}
	return both, err
}

// carry moves the counts of older marks to the newest.
const carry = `
WITH older AS (DELETE FROM sign_in_tries WHERE mark = ANY ($1) RETURNING tries, last_at, locked_until)
INSERT INTO sign_in_tries AS t (mark, tries, last_at, locked_until)
SELECT $2, sum(tries), max(last_at), max(locked_until) FROM older HAVING count(*) > 0
ON CONFLICT (mark) DO UPDATE SET
	tries = t.tries + excluded.tries,
	last_at = greatest(t.last_at, excluded.last_at),
	locked_until = greatest(t.locked_until, excluded.locked_until)`

// reserve counts a try unless the account has to wait. The lock on the row makes
// simultaneous tries take turns, so that no two have the same number. The number
// decides on the wait before the password is even looked at.
const reserve = `
INSERT INTO sign_in_tries AS t (mark, tries, last_at, locked_until)
VALUES ($1, 1, $2, $2)
ON CONFLICT (mark) DO UPDATE SET
	tries = CASE WHEN t.last_at < $3 THEN 1 ELSE t.tries + 1 END,
	last_at = $2,
	locked_until = CASE WHEN t.last_at < $3 OR t.tries + 1 < $4 THEN $2
		ELSE $2::timestamptz + $5::interval * least(2 ^ least(t.tries + 1 - $4, 30), $6) END
WHERE t.locked_until <= $2
RETURNING locked_until`

// Reserve takes one try of an account from a source, before the password is
// looked at. until is when the next try may follow: now, or after a wait. If no
// try is left, taken is false and until says when there will be one. It also drops
// some counts that are forgotten.
func (t Tries) Reserve(ctx context.Context, try Try) (until time.Time, taken bool, err error) {
	counts, err := t.counts(ctx, try.Account, try.Source)
	if err == nil {
		err = t.DB.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) (err error) {
			until, err = t.add(ctx, tx, counts)
			return err // if one of the counts has no try left, both are rolled back
		})
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		until, err = t.LockedUntil(ctx, try)
		return until, false, err
	case err != nil:
		return time.Time{}, false, fmt.Errorf("reserve a try: %w", err)
	}
	return until.UTC(), true, t.sweep(ctx)
}

// add adds a try to the counts. If one of them has no try left, the error is
// [pgx.ErrNoRows].
func (t Tries) add(ctx context.Context, tx pgx.Tx, counts []count) (until time.Time, err error) {
	now, batch := t.Now().UTC(), &pgx.Batch{}
	for _, c := range counts {
		batch.Queue(carry, c.older(), c.mark())
		batch.Queue(reserve, c.mark(), now, now.Add(-forgetAfter), c.limit, t.Lockout, longest).QueryRow(func(row pgx.Row) error {
			var locked time.Time
			err := row.Scan(&locked)
			until = later(until, locked)
			return err
		})
	}
	err = tx.SendBatch(ctx, batch).Close()
	return until, err
}

// LockedUntil returns when the next try may follow; now or earlier if at once.
func (t Tries) LockedUntil(ctx context.Context, try Try) (until time.Time, err error) {
	counts, err := t.counts(ctx, try.Account, try.Source)
	if err == nil {
		var marks [][]byte
		for _, c := range counts {
			marks = append(marks, c.marks...)
		}
		err = t.DB.QueryRow(ctx, `SELECT coalesce(max(locked_until), $2) FROM sign_in_tries WHERE mark = ANY ($1)`, marks, t.Now()).Scan(&until)
	}
	if err != nil {
		return until, fmt.Errorf("read the wait: %w", err)
	}
	return until.UTC(), nil
}

// Forget gives an account its tries back, from a source and from everywhere,
// because somebody has signed in.
func (t Tries) Forget(ctx context.Context, a Account, source string) error {
	counts, err := t.counts(ctx, a, source)
	if err == nil {
		batch := &pgx.Batch{}
		for _, c := range counts {
			for _, mark := range c.marks { // in the order in which [Tries.Reserve] locks them
				batch.Queue(`DELETE FROM sign_in_tries WHERE mark = $1`, mark)
			}
		}
		err = t.DB.ExecBatch(ctx, batch)
	}
	if err != nil {
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
