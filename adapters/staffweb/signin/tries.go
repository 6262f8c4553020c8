package signin

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// The number of attempts before the next one has to wait.
const (
	sourceLimit  = 5  // of one account, from one source
	accountLimit = 50 // of one account, from everywhere
	allSources   = "" // the source under which attempts from everywhere are counted
)

// The wait doubles with each further attempt, up to longest times the first wait. The
// count of an account is deleted after a day without attempts.
const (
	maxWait     = 16
	forgetAfter = 24 * time.Hour
)

// Tries counts attempts to sign in, and makes the next one wait after too many. It
// never checks whether the account exists.
type Tries struct {
	DB      Database
	Lockout time.Duration // the first wait
	Now     func() time.Time
}

// DefaultLockout is the default of the first wait.
const DefaultLockout = time.Minute

// Account is a username at a practice, whether it exists or not.
type Account struct{ Tenant, Username string }

// count is the number of attempts at an account from a source, or from everywhere. Its
// row is stored under a mark of all three: an address may be that of a home, people
// type passwords as usernames, and the practice may not exist.
type count struct {
	marks [][]byte // one for each current key, the newest last
	limit int
}

// older are the marks under which the row may still be, if there was no attempt since
// the newest key.
func (c count) older() [][]byte { return c.marks[:len(c.marks)-1] }

// mark is the one under which the next attempt is counted.
func (c count) mark() []byte { return c.marks[len(c.marks)-1] }

// counts are those of an attempt, always in the same order, so that two attempts never
// deadlock.
func (t Tries) counts(ctx context.Context, a Account, source string) ([]count, error) {
	keys := triesKeys(t.DB)
	markers, err := keys.markers(ctx, t.Now())
	both := []count{{limit: sourceLimit}, {limit: accountLimit}}
	for _, m := range markers {
		for n, from := range []string{source, allSources} {
			both[n].marks = append(both[n].marks, m.mark(from+"\x00"+a.Tenant+"\x00"+a.Username))
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

// reserve counts an attempt unless the account has to wait. The lock on the row makes
// simultaneous attempts take turns, so that no two have the same number. The number
// sets the wait before the password is even checked.
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

// Limit runs the check of an attempt, unless its account or source has to wait. After a
// success it resets their counts.
func (t Tries) Limit(ctx context.Context, try Try, check func() error) error {
	until, err := t.LockedUntil(ctx, try)
	if err != nil {
		return err
	}
	if until.After(t.Now()) {
		return ErrRefused.Until(until)
	}
	if err := check(); err != nil {
		return err
	}
	return t.Forget(ctx, try.Account, try.Source)
}

// Reserve takes one attempt at an account from a source, before the password is
// checked. until is when the next attempt may follow: now, or after a wait. If no
// attempt is left, taken is false and until is when there will be one. It also deletes
// some old counts.
func (t Tries) Reserve(ctx context.Context, try Try) (until time.Time, taken bool, err error) {
	counts, err := t.counts(ctx, try.Account, try.Source)
	if err == nil {
		err = t.DB.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) (err error) {
			until, err = t.add(ctx, tx, counts)
			return err // if one of the counts has no attempt left, both are rolled back
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

// add adds an attempt to the counts. If one of them has none left, the error is
// [pgx.ErrNoRows].
func (t Tries) add(ctx context.Context, tx pgx.Tx, counts []count) (until time.Time, err error) {
	now, batch := t.Now().UTC(), &pgx.Batch{}
	for _, c := range counts {
		batch.Queue(carry, c.older(), c.mark())
		batch.Queue(reserve, c.mark(), now, now.Add(-forgetAfter), c.limit, t.Lockout, maxWait).QueryRow(func(row pgx.Row) error {
			var locked time.Time
			err := row.Scan(&locked)
			until = later(until, locked)
			return err
		})
	}
	err = tx.SendBatch(ctx, batch).Close()
	return until, err
}

// LockedUntil returns when the next attempt may follow; now or earlier if at once.
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

// Forget resets the counts of an account after a sign-in, for the source and for
// everywhere.
func (t Tries) Forget(ctx context.Context, a Account, source string) error {
	counts, err := t.counts(ctx, a, source)
	if err == nil {
		batch := &pgx.Batch{}
		for _, c := range counts {
			for _, mark := range c.marks { // in the lock order of [Tries.Reserve]
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

// sweep deletes more old counts than an attempt can add. It skips rows that another
// process has locked.
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

// keys make the marks that are stored in place of sources. Each day (UTC) has a key
// that all processes share. Old keys are deleted, so that a search through all
// addresses cannot find the source of a mark (D65).
type keys struct {
	db        Database
	purpose   string
	overlap   int       // days for which a key is kept after its own day
	discarded time.Time // the day on which this process last deleted old keys
}

// sourceKeys make the marks of sources in the log.
func sourceKeys(db Database) keys { return keys{db: db, purpose: "log"} }

// triesKeys make the marks under which [Tries] counts. They overlap by a day, so that
// no count restarts at midnight.
func triesKeys(db Database) keys { return keys{db: db, purpose: "tries", overlap: 1} }

const day = 24 * time.Hour

// marker makes marks with one key.
type marker []byte

func (m marker) mark(text string) []byte {
	mac := hmac.New(sha256.New, m)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// markers returns one for each key at an instant, that of the newest key last.
func (k *keys) markers(ctx context.Context, now time.Time) (all []marker, err error) {
	today := now.UTC().Truncate(day)
	all, newest, err := k.read(ctx, today)
	if err == nil && newest.Before(today) {
		if err = k.add(ctx, today); err == nil {
			all, _, err = k.read(ctx, today)
		}
	}
	if err == nil && len(all) == 0 {
		err = errors.New("it has just been deleted") // Postgres has crashed
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of %s: %w", k.purpose, err)
	}
	return all, nil
}

// read finds the keys of today and of the overlap, and tomorrow's if the clock of
// another process is ahead.
func (k *keys) read(ctx context.Context, today time.Time) (all []marker, newest time.Time, err error) {
	rows, _ := k.db.Query(ctx, `SELECT key, day FROM source_keys WHERE purpose = $1 AND day BETWEEN $2 AND $3 ORDER BY day`,
		k.purpose, today.AddDate(0, 0, -k.overlap), today.AddDate(0, 0, k.overlap))
	var key []byte
	_, err = pgx.ForEachRow(rows, []any{&key, &newest}, func() error {
		all = append(all, key)
		key = nil
		return nil
	})
	return all, newest, err
}

// add makes today's key, unless another process is faster.
func (k *keys) add(ctx context.Context, today time.Time) error {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	_, err := k.db.Exec(ctx, `INSERT INTO source_keys (purpose, day, key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, k.purpose, today, key)
	return err
}

// discard deletes old keys, once a day.
func (k *keys) discard(ctx context.Context, now time.Time) error {
	today := now.UTC().Truncate(day)
	if today.Equal(k.discarded) {
		return nil
	}
	if _, err := k.db.Exec(ctx, `DELETE FROM source_keys WHERE purpose = $1 AND day < $2`, k.purpose, today.AddDate(0, 0, -k.overlap)); err != nil {
		return fmt.Errorf("delete old keys of %s: %w", k.purpose, err)
	}
	k.discarded = today
	return nil
}
