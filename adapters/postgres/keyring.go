package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

// Keyring seals and opens what is personal in events. It keeps the keys that it has
// fetched, so that most appends and pages fetch none. It is safe for concurrent use.
//
// There are three reasons for which a holder has no key, and they are told apart: the
// holder was erased; the key is lost, which is [ErrKeyLost]; or the append at hand
// registers the holder, and makes the key. Nothing else makes one.
type Keyring struct {
	DB     DB
	Codec  *event.Codec
	Master sealing.MasterKey // zero opens nothing

	sealed bool // whether what is personal is sealed in this database
	begun  bool // it is, and what was written in clear before is not yet
	mu     sync.Mutex
	known  map[owner]sealing.Key
}

// Start reads whether the database is sealed, and makes sure that the master key is the
// database's. The first one that is given to a sealed database becomes it.
func (k *Keyring) Start(ctx context.Context) error {
	var is string
	err := k.DB.QueryRow(ctx, `
		SELECT since IS NOT NULL, since IS NOT NULL AND finished_at IS NULL, coalesce((SELECT id FROM master_keys WHERE retired_at IS NULL), '')
		FROM sealing`).Scan(&k.sealed, &k.begun, &is)
	if err != nil {
		return fmt.Errorf("look for the master key: %w", err)
	}
	if k.Master == (sealing.MasterKey{}) {
		return nil
	}
	if is == "" && k.sealed {
		return k.register(ctx)
	}
	return k.isOurs(is)
}

func (k *Keyring) isOurs(id string) error {
	if id == "" || id == k.Master.ID() {
		return nil
	}
	return fmt.Errorf("%w: it is %s, and the one given is %s", ErrOtherMasterKey, id, k.Master.ID())
}

// register makes the master key the database's, unless another process is faster.
func (k *Keyring) register(ctx context.Context) error {
	_, err := k.DB.Exec(ctx, `INSERT INTO master_keys (id, since) VALUES ($1, now()) ON CONFLICT DO NOTHING`, k.Master.ID())
	if err != nil {
		return fmt.Errorf("register the master key: %w", err)
	}
	var is string
	if err := k.DB.QueryRow(ctx, `SELECT id FROM master_keys WHERE retired_at IS NULL`).Scan(&is); err != nil {
		return fmt.Errorf("register the master key: %w", err)
	}
	return k.isOurs(is)
}

// owner is a holder of a practice.
type owner struct {
	tenant string
	holder event.Holder
}

// index owns the key under which the practitioners of a practice have identifiers.
func index(tenant string) owner { return owner{tenant: tenant} }

// ErrKeyLost says that personal data cannot be opened or sealed, because its key is not
// in the database although its holder was not erased.
var ErrKeyLost = errors.New("the key is lost: it is not in the database, and its holder was not erased")

// ErrOtherMasterKey says that the database's personal data is sealed under another master
// key than the one given.
var ErrOtherMasterKey = errors.New("the personal data in this database is sealed under another master key")

// keys are those of some owners.
type keys struct {
	found  map[owner]sealing.Key
	erased map[owner]bool
}

func (k keys) has(o owner) bool {
	_, found := k.found[o]
	return found || k.erased[o]
}

const fetchKeys = `
SELECT w.tenant, w.kind, w.holder, k.fingerprint, k.wrapped, e.holder IS NOT NULL
FROM unnest($1::text[], $2::smallint[], $3::uuid[]) AS w (tenant, kind, holder)
LEFT JOIN personal_keys k ON k.tenant = w.tenant AND k.kind = w.kind AND k.holder = w.holder
LEFT JOIN erasures e ON e.tenant = w.tenant AND e.kind = w.kind AND e.holder = w.holder`

// of returns the keys of owners, and asks once for all that it does not know. An owner
// who has no key and was not erased is in neither map.
func (k *Keyring) of(ctx context.Context, owners []owner) (keys, error) {
	all := keys{map[owner]sealing.Key{}, map[owner]bool{}}
	var tenants []string
	var kinds []int16
	var holders []uuid.UUID
	k.mu.Lock()
	for _, o := range owners {
		if key, known := k.known[o]; known {
			all.found[o] = key
			continue
		}
		tenants, kinds, holders = append(tenants, o.tenant), append(kinds, int16(o.holder.Kind)), append(holders, o.holder.ID)
	}
	k.mu.Unlock()
	if len(tenants) == 0 {
		return all, nil
	}
	wrapper, err := k.Master.Wrapper()
	if err != nil {
		return keys{}, err
	}
	rows, _ := k.DB.Query(ctx, fetchKeys, tenants, kinds, holders)
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
		return struct{}{}, all.scan(row, wrapper)
	})
	if err != nil {
		return keys{}, fmt.Errorf("fetch keys: %w", err)
	}
	k.keep(all.found)
	return all, nil
}

func (k keys) scan(row pgx.CollectableRow, wrapper sealing.Wrapper) error {
	var o owner
	var fingerprint, wrapped []byte
	var erased bool
	if err := row.Scan(&o.tenant, &o.holder.Kind, &o.holder.ID, &fingerprint, &wrapped, &erased); err != nil {
		return err
	}
	if erased {
		k.erased[o] = true
	}
	if wrapped == nil || erased {
		return nil
	}
	key, err := wrapper.Unwrap(wrapped, o.tenant, o.holder)
	if errors.Is(err, sealing.ErrWrongMasterKey) {
		return ErrOtherMasterKey
	}
	if err != nil {
		return err
	}
	k.found[o] = key
	return nil
}

// keep remembers keys that are in the database.
func (k *Keyring) keep(found map[owner]sealing.Key) {
	if len(found) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = map[owner]sealing.Key{}
	}
	for o, key := range found {
		k.known[o] = key
	}
}
