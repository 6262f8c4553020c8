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
