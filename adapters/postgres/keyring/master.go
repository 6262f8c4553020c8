package keyring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

// Start makes sure that the ring holds every master key that the database uses, and that
// new keys are wrapped under the one that the database names. The first key of the first
// ring becomes that of a new database. Without a master key it does nothing.
func (k *Keyring) Start(ctx context.Context) error {
	if !k.Opens() {
		return nil
	}
	id, err := k.Check(ctx)
	if err != nil || id != "" {
		return err
	}
	if _, err = k.DB.Exec(ctx, `INSERT INTO master_keys (id) VALUES ($1) ON CONFLICT DO NOTHING`, k.Masters.IDs()[0]); err != nil {
		return fmt.Errorf("register the master key: %w", err)
	}
	_, err = k.Check(ctx)
	return err
}

// Check makes the checks of [Keyring.Start], and changes nothing in the database. It returns
// the identifier of the master key that wraps; "" if the database has none yet.
func (k *Keyring) Check(ctx context.Context) (id string, err error) {
	used, err := usedMasters(ctx, k.DB)
	if err != nil || len(used) == 0 {
		return "", err
	}
	for _, id := range used {
		if _, err := k.Masters.Wrapper(id); err != nil {
			return used[0], err
		}
	}
	return used[0], k.Masters.Use(used[0])
}

// usedMasters returns the master keys under which keys are wrapped, the one that wraps new
// keys first.
func usedMasters(ctx context.Context, db postgres.DB) ([]string, error) {
	rows, _ := db.Query(ctx, `SELECT id FROM master_keys WHERE unused_at IS NULL ORDER BY replaced_at IS NOT NULL, number`)
	used, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look for the master keys: %w", err)
	}
	return used, nil
}

const (
	holderBeat = 10 * time.Second // between two heartbeats
	holderLife = time.Minute      // a process with no younger heartbeat has ended
)

// MasterHolder keeps the master keys of a serving process up to date: it reads the ring
// again, wraps with the key that the database names, and announces its keys. A rotation
// goes on when all processes hold the next key.
type MasterHolder struct {
	Keys  *Keyring
	Host  string                                                 // for operators
	Read  func(ctx context.Context) ([]sealing.MasterKey, error) // reads the ring again; nil if it cannot change
	Every time.Duration                                          // between two heartbeats; 0 means ten seconds
	Log   *slog.Logger

	process uuid.UUID
}

// Run beats until ctx ends, and then withdraws the process.
func (h *MasterHolder) Run(ctx context.Context) {
	h.process = event.NewID()
	background.Loop{Every: cmp.Or(h.Every, holderBeat), Do: h.Beat, Fails: "cannot follow the master keys", Log: h.Log}.Run(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postgres.CollectLimit)
	defer cancel()
	if _, err := h.Keys.DB.Exec(ctx, `DELETE FROM master_key_holders WHERE process = $1`, h.process); err != nil {
		h.Log.WarnContext(ctx, "cannot withdraw this process from the holders of master keys; it counts for a minute", slog.Any("error", err))
	}
}

// Beat reads the ring, follows the database and announces the process, once.
func (h *MasterHolder) Beat(ctx context.Context) error {
	used, err := usedMasters(ctx, h.Keys.DB)
	if err != nil {
		return err
	}
	unread := h.read(ctx, used)
	if len(used) > 0 {
		if err := h.Keys.Masters.Use(used[0]); err != nil {
			return errors.Join(unread, err)
		}
	}
	wraps, _, err := h.Keys.Masters.Current()
	if err != nil {
		return errors.Join(unread, err)
	}
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO master_key_holders (process, host, held, wraps, seen_at) VALUES ($1, $2, $3, $4, clock_timestamp())
		ON CONFLICT (process) DO UPDATE SET held = excluded.held, wraps = excluded.wraps, seen_at = excluded.seen_at`,
		h.process, h.Host, h.Keys.Masters.IDs(), wraps)
	batch.Queue(`DELETE FROM master_key_holders WHERE seen_at < clock_timestamp() - interval '1 day'`)
	if err := h.Keys.DB.ExecBatch(ctx, batch); err != nil {
		return errors.Join(unread, fmt.Errorf("announce the master keys of this process: %w", err))
	}
	return unread
}

// read reads the ring again. A key that the database uses stays in memory, although the
// file lacks it: without it, this process could decrypt nothing.
func (h *MasterHolder) read(ctx context.Context, used []string) error {
	if h.Read == nil {
		return nil
	}
	keys, err := h.Read(ctx)
	if err != nil {
		return err // and the ring stays as it is
	}
	var missing []string
	held := h.Keys.Masters.Keys()
	for _, key := range held {
		if id := key.ID(); slices.Contains(used, id) && !slices.Contains(keys, key) {
			keys, missing = append(keys, key), append(missing, id)
		}
	}
	if !slices.Equal(keys, held) {
		h.Keys.Masters.Replace(keys...)
	}
	if len(missing) > 0 {
		return fmt.Errorf("the database uses master key %s, which is no longer in the ring: put it back; this process keeps it in memory", missing[0])
	}
	return nil
}
