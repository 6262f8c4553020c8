package signin

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/staff"
)

// marks makes the marks of sources, with a key for each day (UTC) that all processes
// share. Yesterday's is thrown away, so that nobody can find out which source a mark was
// made of by trying all addresses (D65).
type marks struct {
	db     Database
	thrown time.Time // the day whose predecessors this process has thrown away
}

const day = 24 * time.Hour

// of returns what makes marks at an instant.
func (m *marks) of(ctx context.Context, now time.Time) (mark func(source string) staff.Source, err error) {
	key, err := m.key(ctx, now.Truncate(day))
	if errors.Is(err, pgx.ErrNoRows) {
		key, err = m.fresh(ctx, now.Truncate(day))
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of sources: %w", err)
	}
	return func(source string) staff.Source {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(source))
		return staff.Source(hex.EncodeToString(mac.Sum(nil)[:8]))
	}, nil
}

func (m *marks) key(ctx context.Context, today time.Time) (key []byte, err error) {
	err = m.db.QueryRow(ctx, `SELECT key FROM source_keys WHERE day = $1`, today).Scan(&key)
	return key, err
}

// fresh makes a key, unless another process is faster.
func (m *marks) fresh(ctx context.Context, today time.Time) ([]byte, error) {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	if _, err := m.db.Exec(ctx, `INSERT INTO source_keys (day, key) VALUES ($1, $2) ON CONFLICT DO NOTHING`, today, key); err != nil {
		return nil, err
	}
	return m.key(ctx, today)
}

// throwAway deletes the keys of days that are over.
func (m *marks) throwAway(ctx context.Context, now time.Time) error {
	today := now.Truncate(day)
	if today.Equal(m.thrown) {
		return nil
	}
	if _, err := m.db.Exec(ctx, `DELETE FROM source_keys WHERE day < $1`, today); err != nil {
		return fmt.Errorf("throw the keys of sources away: %w", err)
	}
	m.thrown = today
	return nil
}
