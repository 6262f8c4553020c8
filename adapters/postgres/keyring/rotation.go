package keyring

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/sealing"
)

// MasterRotation replaces the master key of a database, as its owner, while processes
// serve. It waits until every process holds the next key, has them wrap new keys with it,
// and wraps all others again, a page in each transaction; the data that is encrypted with
// those keys does not change. A rotation that is stopped goes on where it was.
type MasterRotation struct {
	DB          postgres.DB
	Masters     *sealing.Ring // with the key in use and the next one
	BackupsKept time.Duration // how long backups are kept, for [MasterKey.NeededUntil]
	Wait        time.Duration // for processes, altogether; 0 means ten minutes
	Every       time.Duration // between two looks at processes; 0 means a second
	Tell        func(string)  // progress, a line at a time; may be nil
}

// rotationPage is how many keys one transaction wraps again.
const rotationPage = 1000

// Why a rotation does not go on.
var (
	// ErrProcessLate reports that a process does not hold the next master key.
	ErrProcessLate = errors.New("not every process that serves holds the next master key: give them the same ring, and run this again")
	// ErrStillWrapped reports that keys are still wrapped under a replaced master key.
	ErrStillWrapped = errors.New("keys are still wrapped under the replaced master key: run this again")
	// ErrNoNextKey reports that the ring has no key that the database does not know.
	ErrNoNextKey = errors.New("the ring has no next master key")
)

// MasterKey is a master key as the database knows it. Times are of the database's clock.
type MasterKey struct {
	ID          string        `json:"id"`
	Since       time.Time     `json:"since"`
	ReplacedAt  *time.Time    `json:"replacedAt,omitempty"`  // from then on, another one wraps
	UnusedAt    *time.Time    `json:"unusedAt,omitempty"`    // from then on, nothing is wrapped under it
	NeededUntil *time.Time    `json:"neededUntil,omitempty"` // by backups
	DestroyedAt *time.Time    `json:"destroyedAt,omitempty"`
	Keys        int64         `json:"keys"` // how many are wrapped under it
	Age         time.Duration `json:"-"`    // since Since
}

// KeyHolder is a process that serves, with the master keys that it holds.
type KeyHolder struct {
	Process uuid.UUID `json:"process"`
	Host    string    `json:"host"`
	Held    []string  `json:"held"`
	Wraps   string    `json:"wraps"`
	SeenAt  time.Time `json:"seenAt"`
}

// MasterKeys returns all master keys that the database knows, oldest first.
func MasterKeys(ctx context.Context, db postgres.DB) ([]MasterKey, error) {
	rows, _ := db.Query(ctx, `
		SELECT id, since, replaced_at, unused_at, needed_until, destroyed_at, (SELECT count(*) FROM personal_keys p WHERE p.master = m.id), clock_timestamp() - since
		FROM master_keys m ORDER BY number`)
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[MasterKey])
	if err != nil {
		return nil, fmt.Errorf("list the master keys: %w", err)
	}
	return keys, nil
}

// KeyHolders returns the processes that serve, the longest silent one first.
func KeyHolders(ctx context.Context, db postgres.DB) ([]KeyHolder, error) {
	rows, _ := db.Query(ctx, `SELECT process, host, held, wraps, seen_at FROM master_key_holders
		WHERE seen_at > clock_timestamp() - make_interval(secs => $1) ORDER BY seen_at`, holderLife.Seconds())
	holders, err := pgx.CollectRows(rows, pgx.RowToStructByPos[KeyHolder])
	if err != nil {
		return nil, fmt.Errorf("list the processes that hold master keys: %w", err)
	}
	return holders, nil
}

// Next returns the master key that the rotation leads to: the one that wraps, if a rotation
// to it has begun and not ended, or else the first of the ring that the database does not
// know. Without one, it returns [ErrNoNextKey].
func (r MasterRotation) Next(ctx context.Context) (id string, begun bool, err error) {
	used, err := usedMasters(ctx, r.DB)
	switch {
	case err != nil:
		return "", false, err
	case len(used) == 0:
		return "", false, errors.New("nothing is encrypted in this database yet: start with the next master key")
	case len(used) > 1:
		return used[0], true, nil
	}
	if !r.Masters.Holds(used[0]) {
		_, err := r.Masters.Wrapper(used[0])
		return "", false, err
	}
	known, err := MasterKeys(ctx, r.DB)
	if err != nil {
		return "", false, err
	}
	for _, id := range r.Masters.IDs() {
		if !slices.ContainsFunc(known, func(k MasterKey) bool { return k.ID == id }) {
			return id, false, nil
		}
	}
	return "", false, ErrNoNextKey
}

// Run rotates to [MasterRotation.Next], and returns the master key with the number of keys
// that it wrapped again.
func (r MasterRotation) Run(ctx context.Context) (to string, rewrapped int, err error) {
	to, begun, err := r.Next(ctx)
	if err != nil {
		return "", 0, err
	}
	watch := clock.Start()
	holds := func(h KeyHolder) bool { return slices.Contains(h.Held, to) }
	if err := r.await(ctx, watch, "holds "+to, holds); err != nil {
		return to, 0, err
	}
	if !begun {
		if err := r.begin(ctx, to); err != nil {
			return to, 0, err
		}
	}
	if err := r.Masters.Use(to); err != nil {
		return to, 0, err
	}
	wraps := func(h KeyHolder) bool { return h.Wraps == to }
	if err := r.await(ctx, watch, "wraps with "+to, wraps); err != nil {
		return to, 0, err
	}
	for range 3 { // a process that was not seen may have wrapped a key meanwhile
		n, err := r.rewrap(ctx, to)
		rewrapped += n
		if err != nil {
			return to, rewrapped, fmt.Errorf("wrap keys under the next master key: %w", err)
		}
		if err = r.finish(ctx, to); !errors.Is(err, ErrStillWrapped) {
			return to, rewrapped, err
		}
	}
	return to, rewrapped, ErrStillWrapped
}

func (r MasterRotation) tell(format string, args ...any) {
	if r.Tell != nil {
		r.Tell(fmt.Sprintf(format, args...))
	}
}

// await waits until no process is late.
func (r MasterRotation) await(ctx context.Context, watch clock.Stopwatch, what string, ready func(KeyHolder) bool) error {
	for told := ""; ; {
		holders, err := KeyHolders(ctx, r.DB)
		if err != nil {
			return err
		}
		late := slices.DeleteFunc(holders, ready)
		if len(late) == 0 {
			return nil
		}
		var names []string
		for _, h := range late {
			names = append(names, fmt.Sprintf("%s on %s", h.Process, h.Host))
		}
		if now := strings.Join(names, ", "); now != told {
			r.tell("waiting until each process %s: %s", what, now)
			told = now
		}
		if watch.Elapsed() >= cmp.Or(r.Wait, 10*time.Minute) {
			return fmt.Errorf("%w (late: %s)", ErrProcessLate, strings.Join(names, ", "))
		}
		background.Sleep(ctx, cmp.Or(r.Every, time.Second))
		if ctx.Err() != nil {
			return fmt.Errorf("wait for %s: %w", told, ctx.Err())
		}
	}
}

// begin makes a key the one that wraps. Processes follow within a heartbeat.
func (r MasterRotation) begin(ctx context.Context, to string) error {
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE master_keys SET replaced_at = clock_timestamp() WHERE replaced_at IS NULL`)
	batch.Queue(`INSERT INTO master_keys (id) VALUES ($1)`, to)
	if err := r.DB.ExecBatch(ctx, batch); err != nil {
		return fmt.Errorf("begin the rotation (run this as the owner of the database): %w", err)
	}
	return nil
}

// rewrap wraps all keys that are wrapped under another key, in the order of their owners.
func (r MasterRotation) rewrap(ctx context.Context, to string) (rewrapped int, err error) {
	wrapper, err := r.Masters.Wrapper(to)
	if err != nil {
		return 0, err
	}
	var last owner
	for {
		n, err := r.page(ctx, &last, to, wrapper)
		if n == 0 || err != nil {
			return rewrapped, err
		}
		if rewrapped += n; rewrapped%(100*rotationPage) == 0 {
			r.tell("%d keys are wrapped again", rewrapped)
		}
	}
}

func (r MasterRotation) page(ctx context.Context, last *owner, to string, wrapper sealing.Wrapper) (n int, err error) {
	err = r.DB.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `
			SELECT tenant, kind, holder, master, wrapped FROM personal_keys
			WHERE (tenant, kind, holder) > ($1, $2, $3) AND master <> $4 ORDER BY tenant, kind, holder LIMIT $5 FOR UPDATE`,
			last.tenant, int16(last.holder.Kind), last.holder.ID, to, rotationPage)
		found, err := pgx.CollectRows(rows, scanWrapped)
		if n = len(found); err != nil || n == 0 {
			return err
		}
		*last = found[n-1].owner
		for n, k := range found {
			from, err := r.Masters.Wrapper(k.master)
			if err != nil {
				return err
			}
			key, err := from.Unwrap(k.wrapped, k.tenant, k.holder)
			if err != nil {
				return fmt.Errorf("%s %s: %w", k.holder.Kind, k.holder.ID, ErrKeyAltered)
			}
			found[n].wrapped, found[n].master = wrapper.Wrap(key, k.tenant, k.holder), to
		}
		_, err = tx.Exec(ctx, `
			UPDATE personal_keys p SET master = k.master, wrapped = k.wrapped
			FROM `+newKeys+` WHERE p.tenant = k.tenant AND p.kind = k.kind AND p.holder = k.holder`, keyColumns(found)...)
		return err
	})
	return n, err
}

func scanWrapped(row pgx.CollectableRow) (k newKey, err error) {
	err = row.Scan(&k.tenant, &k.holder.Kind, &k.holder.ID, &k.master, &k.wrapped)
	return k, err
}

// finish seals the private keys for webhooks under the next master key, and ends the use of
// all others. It takes its lock as [postgres.Locks.Ask] does, so that calls go on. It returns
// [ErrStillWrapped] if a key is still wrapped under another one.
func (r MasterRotation) finish(ctx context.Context, to string) error {
	const session = "frontdesk rotate-master"
	locks := postgres.Locks{DB: r.DB, As: session, Tell: func(line string) { r.tell("%s", line) }}
	err := locks.Ask(ctx, func(ctx context.Context) error {
		return r.DB.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
			for _, statement := range []string{postgres.Briefly, `SET LOCAL application_name = '` + session + `'`} {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return err
				}
			}
			if err := r.resealSigningKeys(ctx, tx); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `UPDATE master_keys SET unused_at = clock_timestamp(), needed_until = clock_timestamp() + make_interval(secs => $2)
				WHERE id <> $1 AND unused_at IS NULL`, to, r.BackupsKept.Seconds())
			return err
		})
	})
	if refused, is := errors.AsType[*pgconn.PgError](err); is && refused.Code == "23503" { // keep_master_keys
		return ErrStillWrapped
	}
	return err
}

func (r MasterRotation) resealSigningKeys(ctx context.Context, tx pgx.Tx) error {
	rows, _ := tx.Query(ctx, `SELECT kid, sealed FROM signing_key_secrets ORDER BY kid FOR UPDATE`)
	sealed := map[string][]byte{}
	var kid string
	var box []byte
	if _, err := pgx.ForEachRow(rows, []any{&kid, &box}, func() error { sealed[kid] = bytes.Clone(box); return nil }); err != nil {
		return err
	}
	for kid, box := range sealed {
		private, err := r.Masters.Open(box, []byte(kid))
		if err != nil {
			continue // under a key that no one has: the signing key is lost
		}
		if box, err = r.Masters.Seal(private, []byte(kid)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE signing_key_secrets SET sealed = $2 WHERE kid = $1`, kid, box); err != nil {
			return err
		}
	}
	return nil
}

// Why a master key cannot leave the ring, or cannot be called destroyed.
var (
	ErrUnknownMaster   = errors.New("the database knows no such master key")
	ErrMasterInUse     = errors.New("keys are wrapped under this master key: rotate to another one first")
	ErrNeededByBackups = errors.New("a backup that is kept can only be read with this master key")
	ErrMasterHeld      = errors.New("a process that serves still holds this master key: take it out of its ring first")
)

// MayLeave returns why a master key has to stay in the ring, if the oldest backup that is
// kept is of an instant; nil if it may leave.
func (k MasterKey) MayLeave(oldestBackup time.Time) error {
	switch {
	case k.UnusedAt == nil:
		return ErrMasterInUse
	case !oldestBackup.After(*k.UnusedAt):
		return fmt.Errorf("%w: it is needed by backups from before %s", ErrNeededByBackups, k.UnusedAt.UTC().Format(time.RFC3339))
	}
	return nil
}

// MarkDestroyed records that no copy of a master key is left, as the owner. Erasures of its
// time are final from then on. machine is where the operator ran it. It changes nothing if
// that is recorded already.
func MarkDestroyed(ctx context.Context, db postgres.DB, id, machine string) error {
	keys, err := MasterKeys(ctx, db)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(keys, func(k MasterKey) bool { return k.ID == id })
	switch {
	case at < 0:
		return ErrUnknownMaster
	case keys[at].UnusedAt == nil:
		return ErrMasterInUse
	}
	holders, err := KeyHolders(ctx, db)
	if err != nil {
		return err
	}
	for _, h := range holders {
		if slices.Contains(h.Held, id) {
			return fmt.Errorf("%w (%s on %s)", ErrMasterHeld, h.Process, h.Host)
		}
	}
	_, err = db.Exec(ctx, `UPDATE master_keys SET destroyed_at = clock_timestamp(), destroyed_by = session_user || ' (' || $2 || ')' WHERE id = $1 AND destroyed_at IS NULL`, id, machine)
	if err != nil {
		return fmt.Errorf("record that a master key is destroyed (run this as the owner of the database): %w", err)
	}
	return nil
}

// MasterKeyIDs returns the identifiers of the master keys that are not destroyed, the oldest
// first: a backup of the database needs them.
func MasterKeyIDs(ctx context.Context, db postgres.DB) ([]string, error) {
	rows, _ := db.Query(ctx, `SELECT id FROM master_keys WHERE destroyed_at IS NULL ORDER BY number`)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list the master keys: %w", err)
	}
	return ids, nil
}

// NoteMasters has the database know the master keys of a ring, as the owner. A restored
// database does not know those that came after its backup, and backups of that time may
// hold keys under them.
func NoteMasters(ctx context.Context, db postgres.DB, ids []string) error {
	_, err := db.Exec(ctx, `INSERT INTO master_keys (id, replaced_at, unused_at) SELECT id, clock_timestamp(), clock_timestamp() FROM unnest($1::text[]) id
		ON CONFLICT DO NOTHING`, ids)
	if err != nil {
		return fmt.Errorf("note the master keys of the ring (run this as the owner of the database): %w", err)
	}
	return nil
}
