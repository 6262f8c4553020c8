package signin

import (
	"context"
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

// DeviceLifetime is how long a device is known after its last sign-in.
const DeviceLifetime = 90 * 24 * time.Hour

const (
	deviceLimit   = 5  // attempts of a device since the last sign-in
	memberDevices = 10 // of one member of staff; the oldest are deleted
)

// Devices stores the browsers that staff have signed in with. Their attempts are
// counted separately, so that guessing strangers do not lock the owner out (D45). A
// device never waits: once its attempts are used up, it counts as a stranger's.
type Devices struct {
	DB  Database
	Now func() time.Time
}

// knownDevice finds the row of a token at a practice and a username, while it is valid.
const knownDevice = ` staff s
WHERE d.token_hash = $1 AND d.tenant = $2 AND d.tries < $4 AND d.signed_in_at > $5
	AND s.tenant = d.tenant AND s.staff = d.staff AND s.username = $3 AND s.active AND s.credential = d.credential`

func (d Devices) about(t Try) []any {
	return []any{hashOf(t.Device), t.Tenant, storable(t.Username), deviceLimit, d.Now().Add(-DeviceLifetime)}
}

// Known reports whether this browser has signed in to the account before and has
// attempts left.
func (d Devices) Known(ctx context.Context, t Try) (known bool, err error) {
	if t.Device == "" {
		return false, nil
	}
	err = d.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM staff_devices d,`+knownDevice+`)`, d.about(t)...).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("look up device: %w", err)
	}
	return known, nil
}

// errStranger: a device has no attempt left, or is no longer known.
var errStranger = errors.New("the device is a stranger's")

// Reserve takes one attempt of the device, before the password is checked. The next one
// may follow at once.
func (d Devices) Reserve(ctx context.Context, t Try) (until time.Time, taken bool, err error) {
	done, err := d.DB.Exec(ctx, `UPDATE staff_devices d SET tries = d.tries + 1 FROM`+knownDevice, d.about(t)...)
	if err != nil {
		return until, false, fmt.Errorf("reserve a try of a device: %w", err)
	}
	if done.RowsAffected() == 0 {
		return until, false, errStranger
	}
	return until, true, nil
}

// Renew gives the browser a new token after a sign-in. Its old token is void from now
// on, wherever a copy may be. The new one also counts for others who have signed in
// with this browser, with the attempts that they have left.
func (d Devices) Renew(ctx context.Context, t Try, h Holder) (token string, err error) {
	token = newToken()
	now, batch := d.Now(), &pgx.Batch{}
	batch.Queue(`DELETE FROM staff_devices WHERE signed_in_at <= $1`, now.Add(-DeviceLifetime))
	batch.Queue(`UPDATE staff_devices SET token_hash = $1 WHERE token_hash = $2 AND tenant = $3`, hashOf(token), hashOf(t.Device), t.Tenant)
	batch.Queue(`
		INSERT INTO staff_devices (token_hash, tenant, staff, credential, signed_in_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (token_hash, staff) DO UPDATE SET credential = $4, tries = 0, signed_in_at = $5`,
		hashOf(token), t.Tenant, h.Staff, h.Credential, now)
	batch.Queue(`
		DELETE FROM staff_devices WHERE tenant = $1 AND staff = $2 AND token_hash IN (
			SELECT token_hash FROM staff_devices WHERE tenant = $1 AND staff = $2 ORDER BY signed_in_at DESC OFFSET $3)`,
		t.Tenant, h.Staff, memberDevices)
	if err := d.DB.ExecBatch(ctx, batch); err != nil {
		return "", fmt.Errorf("renew device: %w", err)
	}
	return token, nil
}
