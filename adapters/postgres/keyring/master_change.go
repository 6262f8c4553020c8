package keyring

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/sealing"
)

// MasterChange puts a new master key in the place of the database's, as its owner. Keys
// are wrapped again, a page in each transaction; what was sealed under them stays as it
// is. Whoever stops it begins it again, and it goes on with what is left.
type MasterChange struct {
	DB       postgres.DB
	From, To sealing.MasterKey
	Progress func(rewrapped int) // after each page; may be nil
}

// changePage is how many keys one transaction wraps again.
const changePage = 1000

// ErrMasterKeyInUse says that something is still wrapped under the old master key.
var ErrMasterKeyInUse = errors.New("the old master key still wraps keys: a process mints under it; restart all with the new one, and run this again")

// Run wraps every key under the new master key, and returns how many it has wrapped.
func (c MasterChange) Run(ctx context.Context) (rewrapped int, err error) {
	from, err := c.From.Wrapper()
	if err != nil {
		return 0, err
	}
	to, err := c.To.Wrapper()
	if err != nil {
		return 0, err
	}
	if err := c.begin(ctx); err != nil {
		return 0, err
	}
	var last owner
	for {
		n, err := c.page(ctx, &last, from, to)
		if err != nil {
			return rewrapped, fmt.Errorf("wrap keys under the new master key: %w", err)
		}
		if n == 0 {
			return rewrapped, c.resign(ctx)
		}
		if rewrapped += n; c.Progress != nil {
			c.Progress(rewrapped)
		}
	}
}

// begin makes the new master key the one under which processes that start from now on
// wrap new keys.
func (c MasterChange) begin(ctx context.Context) error {
	if c.From == c.To {
		return errors.New("the new master key is the old one: make another with `openssl rand -base64 32`")
	}
	var is string
	err := c.DB.QueryRow(ctx, currentMaster).Scan(&is)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errors.New("nothing is sealed in this database yet: start with the new master key")
	case err != nil:
		return fmt.Errorf("look for the master key: %w", err)
	case is == c.To.ID():
		return nil // it was begun before
	case is != c.From.ID():
		return &OtherMasterKeyError{is, c.From.ID()}
	}
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE master_keys SET retired_at = now() WHERE id = $1`, c.From.ID())
	batch.Queue(`INSERT INTO master_keys (id, since) VALUES ($1, now())`, c.To.ID())
	if err := c.DB.ExecBatch(ctx, batch); err != nil {
		return fmt.Errorf("begin the change (run this as the owner of the database): %w", err)
	}
	return nil
}

// page wraps the next keys in the order of their owners.
func (c MasterChange) page(ctx context.Context, last *owner, from, to sealing.Wrapper) (n int, err error) {
	err = c.DB.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `
			SELECT tenant, kind, holder, wrapped FROM personal_keys
			WHERE (tenant, kind, holder) > ($1, $2, $3) AND master = $4 ORDER BY tenant, kind, holder LIMIT $5 FOR UPDATE`,
			last.tenant, int16(last.holder.Kind), last.holder.ID, c.From.ID(), changePage)
		found, err := pgx.CollectRows(rows, scanWrapped)
		if n = len(found); err != nil || n == 0 {
			return err
		}
		*last = found[n-1].owner
		return c.rewrap(ctx, tx, found, from, to)
	})
	return n, err
}

func scanWrapped(row pgx.CollectableRow) (k newKey, err error) {
	err = row.Scan(&k.tenant, &k.holder.Kind, &k.holder.ID, &k.wrapped)
	return k, err
}

func (c MasterChange) rewrap(ctx context.Context, tx pgx.Tx, found []newKey, from, to sealing.Wrapper) error {
	for n, k := range found {
		key, err := from.Unwrap(k.wrapped, k.tenant, k.holder)
		if err != nil {
			return fmt.Errorf("%s %s: %w", k.holder.Kind, k.holder.ID, ErrKeyAltered)
		}
		found[n].wrapped, found[n].master = to.Wrap(key, k.tenant, k.holder), c.To.ID()
	}
	_, err := tx.Exec(ctx, `
		UPDATE personal_keys p SET master = k.master, wrapped = k.wrapped
		FROM `+newKeys+` WHERE p.tenant = k.tenant AND p.kind = k.kind AND p.holder = k.holder`, keyColumns(found)...)
	return err
}

// resign seals the private keys that webhooks are signed with under the new master key.
func (c MasterChange) resign(ctx context.Context) error {
	return c.DB.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `SELECT kid, sealed FROM signing_key_secrets ORDER BY kid FOR UPDATE`)
		sealed := map[string][]byte{}
		var kid string
		var box []byte
		if _, err := pgx.ForEachRow(rows, []any{&kid, &box}, func() error { sealed[kid] = bytes.Clone(box); return nil }); err != nil {
			return err
		}
		for kid, box := range sealed {
			private, err := c.From.Open(box, []byte(kid))
			if err != nil {
				continue // it was sealed again before, or nobody has its master key any more
			}
			if box, err = c.To.Seal(private, []byte(kid)); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `UPDATE signing_key_secrets SET sealed = $2 WHERE kid = $1`, kid, box); err != nil {
				return err
			}
		}
		return nil
	})
}

// Retire ends the old master key, so that it may be destroyed, and returns
// [ErrMasterKeyInUse] if a key is still wrapped under it. No process can wrap another one
// afterwards.
func (c MasterChange) Retire(ctx context.Context) error {
	_, err := c.DB.Exec(ctx, `DELETE FROM master_keys WHERE id = $1 AND retired_at IS NOT NULL`, c.From.ID())
	if refused, is := errors.AsType[*pgconn.PgError](err); is && refused.Code == "23503" { // a key names it
		return ErrMasterKeyInUse
	}
	if err != nil {
		return fmt.Errorf("retire the old master key: %w", err)
	}
	return nil
}
