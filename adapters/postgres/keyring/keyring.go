package keyring

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

// Keyring encrypts and decrypts the personal values of events. It caches the keys that it
// has fetched, so that most appends and pages fetch none. It is safe for concurrent use.
//
// A holder has no key for one of three reasons, which the keyring distinguishes: the
// holder was erased; the key is lost, which is [ErrKeyLost]; or the append at hand
// registers the holder, and makes the key. Nothing else makes one.
type Keyring struct {
	DB      postgres.DB
	Codec   *event.Codec
	Masters *sealing.Ring    // the master keys; nil or empty opens nothing
	Now     func() time.Time // the clock by which keys in memory grow old; nil for the system's

	known   keyCache
	counted struct{ fetched, minted, lost atomic.Int64 }
}

func (k *Keyring) now() time.Time {
	if k.Now == nil {
		return clock.System()
	}
	return k.Now()
}

// owner is a holder of a practice.
type owner struct {
	tenant string
	holder event.Holder
}

// index owns the key under which the practitioners of a practice have identifiers.
func index(tenant string) owner { return owner{tenant: tenant} }

// ErrKeyLost means that personal data cannot be decrypted or encrypted, because its key is
// not in the database although its holder was not erased.
var ErrKeyLost = errors.New("the key is lost: it is not in the database, and its holder was not erased")

// ErrKeyAltered means that a key is in the database and cannot be unwrapped.
var ErrKeyAltered = errors.New("the key does not open under its master key: its row was altered, or is another's")

// keys are those of some owners.
type keys struct {
	found  map[owner]sealing.Key
	erased map[owner]bool
	stamp  uint64        // of the cache, before it was asked
	lost   *atomic.Int64 // counts the keys that are in neither map and should be
}

// wipe overwrites the keys, once they are no longer needed.
func (k keys) wipe() { clear(k.found) }

func (k keys) has(o owner) bool {
	_, found := k.found[o]
	return found || k.erased[o]
}

// keysOf returns the keys of owners, and fetches all unknown ones with one query. An owner
// that has no key and was not erased is in neither map.
func (k *Keyring) keysOf(ctx context.Context, owners []owner) (keys, error) {
	found, missing, stamp := k.known.take(owners, k.now())
	all := keys{found, map[owner]bool{}, stamp, &k.counted.lost}
	if len(missing) == 0 {
		return all, nil
	}
	fetched, err := k.fetch(ctx, missing)
	if err != nil {
		return keys{}, fmt.Errorf("fetch keys: %w", err)
	}
	all.erased = fetched.erased
	maps.Copy(all.found, fetched.found)
	k.known.put(fetched.found, stamp, k.now())
	fetched.wipe()
	return all, nil
}

const fetchKeys = `
SELECT w.tenant, w.kind, w.holder, k.master, k.wrapped, e.holder IS NOT NULL
FROM unnest($1::text[], $2::smallint[], $3::uuid[]) AS w (tenant, kind, holder)
LEFT JOIN personal_keys k ON k.tenant = w.tenant AND k.kind = w.kind AND k.holder = w.holder
LEFT JOIN erasures e ON e.tenant = w.tenant AND e.kind = w.kind AND e.holder = w.holder`

func (k *Keyring) fetch(ctx context.Context, owners []owner) (keys, error) {
	if !k.Opens() {
		return keys{}, sealing.ErrNoMasterKey
	}
	var tenants []string
	var kinds []int16
	var holders pgtype.FlatArray[pgtype.UUID]
	for _, o := range owners {
		tenants, kinds, holders = append(tenants, o.tenant), append(kinds, int16(o.holder.Kind)), append(holders, postgres.Nullable(&o.holder.ID))
	}
	fetched := keys{found: make(map[owner]sealing.Key, len(owners)), erased: map[owner]bool{}}
	rows, _ := k.DB.Query(ctx, fetchKeys, tenants, kinds, holders)
	var row keyRow
	_, err := pgx.ForEachRow(rows, row.columns(), func() error { return fetched.add(row, k.Masters) })
	k.counted.fetched.Add(int64(len(fetched.found)))
	return fetched, err
}

// keyRow is the row of an owner.
type keyRow struct {
	owner
	master  *string
	wrapped []byte
	erased  bool
}

func (r *keyRow) columns() []any {
	return []any{&r.tenant, &r.holder.Kind, &r.holder.ID, &r.master, &r.wrapped, &r.erased}
}

// keyLost counts the lost key of a holder, and returns its error.
func (k keys) keyLost(holder event.Holder) error {
	k.lost.Add(1)
	return fmt.Errorf("%s %s: %w", holder.Kind, holder.ID, ErrKeyLost)
}

func (k keys) add(r keyRow, masters *sealing.Ring) error {
	switch {
	case r.erased:
		k.erased[r.owner] = true
		return nil
	case r.wrapped == nil:
		return nil
	}
	wrapper, err := masters.Wrapper(*r.master)
	if err != nil {
		return err
	}
	key, err := wrapper.Unwrap(r.wrapped, r.tenant, r.holder)
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.holder.Kind, r.holder.ID, ErrKeyAltered)
	}
	k.found[r.owner] = key
	return nil
}

// Keep caches the keys that an append has made, once it is committed.
func (k *Keyring) Keep(made Minted) {
	if len(made.keys) > 0 {
		k.known.put(made.keys, made.stamp, k.now())
		k.counted.minted.Add(int64(len(made.keys)))
		clear(made.keys) // which overwrites them
	}
}

// Opens reports whether the keyring has a master key. Without one, and on a nil keyring,
// personal values can be neither encrypted nor decrypted.
func (k *Keyring) Opens() bool { return k != nil && !k.Masters.Empty() }

// CanOpen returns an error with the fix if the keyring has no master key.
func (k *Keyring) CanOpen() error {
	if !k.Opens() {
		return errNoMasterKey
	}
	return nil
}
