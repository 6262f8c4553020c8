package eventstore

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// An append reads the table erasures, in the statement that stores its events, and so
// holds a weak lock on that table until it has committed. The eraser takes a lock that
// conflicts with these. An append that read before has committed when the eraser goes on,
// and one that reads later sees the eraser's rows. So no event about a person follows the
// one that records their erasure (D70).

const (
	eraserLock  = "100ms"               // appends queue behind the eraser no longer than that
	eraserPause = 20 * time.Millisecond // between two attempts, in which appends go on
	eraserLimit = 20 * time.Second      // for all attempts
)

// Eraser destroys keys, and the rows that go with them.
type Eraser struct {
	projections.Erasures
	Store *Store
}

// Erase destroys the keys of a person, and of a patient's requests, in one transaction with
// the change that is made of them and with everything that goes with the person. If the
// change is empty, it still destroys keys that a restore has brought back. It also destroys
// those with the fingerprints also: a backup may hold a request as another patient's.
func (e Eraser) Erase(ctx context.Context, who erasure.Person, also []string, change func([]erasure.Key) (event.Change, error)) ([]event.Recorded, error) {
	ctx, cancel := context.WithTimeout(ctx, eraserLimit)
	defer cancel()
	for {
		recorded, gone, err := e.Store.erase(ctx, who, also, change)
		if errors.Is(err, postgres.ErrAltered) {
			e.Store.Altered.Add(1)
		}
		switch {
		case err == nil:
			e.Store.Keys.ForgetErased(who.Tenant, gone)
			e.Store.Appended.Notify()
			return recorded, nil
		case mayNot(err):
			return nil, fmt.Errorf("only the owner of the database erases again, as after a restore: run this as the owner of the database: %w", err)
		case !postgres.Contended(err) || ctx.Err() != nil:
			return nil, fmt.Errorf("erase: %w", err)
		}
		background.Sleep(ctx, eraserPause)
	}
}

// mayNot reports whether the role lacks a right.
func mayNot(err error) bool {
	refused, answered := errors.AsType[*pgconn.PgError](err)
	return answered && refused.Code == "42501"
}

// erase makes one attempt. It returns the keys that it has destroyed.
func (s *Store) erase(ctx context.Context, who erasure.Person, also []string,
	change func([]erasure.Key) (event.Change, error),
) (recorded []event.Recorded, gone []erasure.Key, err error) {
	err = s.DB.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		keys, erased, err := stopAppends(ctx, tx, who, also)
		if err != nil {
			return err
		}
		changed, err := change(keys)
		if err == nil && erased && len(changed.Events) > 0 {
			err = event.ErrConflict // another eraser was faster: decide again
		}
		if err != nil {
			return err
		}
		recorded = s.record(event.MetadataFrom(ctx), []event.Change{changed})
		batch, err := s.erasing(ctx, who, keys, recorded)
		if err != nil {
			return err
		}
		gone = keys
		return tx.SendBatch(ctx, batch).Close()
	})
	return recorded, gone, err
}

const (
	isErased = `
SELECT EXISTS (SELECT FROM erasures WHERE tenant = $1 AND kind = $2 AND holder = $3)`
	keysOf = `
SELECT kind, holder, fingerprint FROM personal_keys WHERE tenant = $1 AND kind = $2 AND holder = $3
UNION
SELECT kind, holder, fingerprint FROM personal_keys WHERE tenant = $1 AND $2 = $4 AND patient = $3
ORDER BY kind, holder`
	// It reads all keys of the practice, and only runs before the service serves.
	otherKeysOf = `
SELECT kind, holder, fingerprint FROM personal_keys
WHERE tenant = $1 AND kind = $2 AND encode(fingerprint, 'hex') = ANY ($3) AND patient IS DISTINCT FROM $4 ORDER BY kind, holder`
)

// stopAppends waits for appends that have read the erasures, and has all others wait until
// the transaction ends. It returns the keys, first the person's, even if there is no such
// key, and whether the person is erased already.
func stopAppends(ctx context.Context, tx pgx.Tx, who erasure.Person, also []string) (keys []erasure.Key, erased bool, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`SELECT set_config('lock_timeout', '` + eraserLock + `', true)`)
	batch.Queue(`LOCK TABLE erasures IN EXCLUSIVE MODE`)
	batch.Queue(isErased, who.Tenant, who.Kind, who.Holder).QueryRow(func(row pgx.Row) error { return row.Scan(&erased) })
	collect := func(rows pgx.Rows) (err error) {
		keys, err = pgx.AppendRows(keys, rows, scanKey)
		return err
	}
	batch.Queue(keysOf, who.Tenant, who.Kind, who.Holder, event.OfPatient).Query(collect)
	if len(also) > 0 {
		batch.Queue(otherKeysOf, who.Tenant, event.OfRequest, also, who.Holder).Query(collect)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, false, err
	}
	own := func(k erasure.Key) bool { return k.Kind == who.Kind && k.Holder == who.Holder }
	if !slices.ContainsFunc(keys, own) {
		keys = append([]erasure.Key{{Kind: who.Kind, Holder: who.Holder}}, keys...)
	}
	return keys, erased, nil
}

func scanKey(row pgx.CollectableRow) (k erasure.Key, err error) {
	var fingerprint []byte
	err = row.Scan(&k.Kind, &k.Holder, &fingerprint)
	k.Fingerprint = hex.EncodeToString(fingerprint)
	return k, err
}

// Each of these goes with a person, along with the rows of read models.
const (
	// For an erased person whose keys a restored copy of the table has brought back.
	destroyKeys = `DELETE FROM personal_keys k USING unnest($2::smallint[], $3::uuid[]) w (kind, holder) WHERE k.tenant = $1 AND k.kind = w.kind AND k.holder = w.holder`
	// No process has sent them. A delivery that is being sent now ends within seconds.
	withdrawDeliveries = `
UPDATE deliveries SET status = 'withdrawn', reason = 'erased', finished_at = $3
WHERE status = 'pending' AND tenant = $1
	AND (subject = $2 OR subject IN (SELECT appointment FROM appointments WHERE tenant = $1 AND patient = $2))`
)

// staffTables hold credentials and sessions of members of staff that no projection keeps.
var staffTables = []string{"staff_passwords", "staff_sessions", "staff_devices", "staff_passkey_uses", "staff_sign_in_steps"}

// erasing queues everything that one erasure changes. The event destroys the keys that it
// names, and frees the files (erase_by_event); only the owner destroys keys without one.
func (s *Store) erasing(ctx context.Context, who erasure.Person, keys []erasure.Key, recorded []event.Recorded) (*pgx.Batch, error) {
	batch := durably(nil)
	if who.Kind == event.OfPatient {
		batch.Queue(withdrawDeliveries, who.Tenant, who.Holder, s.Now())
	}
	if who.Kind == event.OfStaff {
		for _, table := range staffTables {
			batch.Queue(`DELETE FROM `+table+` WHERE tenant = $1 AND staff = $2`, who.Tenant, who.Holder)
		}
	}
	if len(recorded) > 0 {
		events, _, err := s.write(ctx, recorded)
		if err != nil {
			return nil, err
		}
		appends := []*member{memberOf(events)}
		queueEvents(batch, eventsOf(appends), nil)
		queueAtOnce(batch, appends)
		return batch, nil
	}
	var kinds []int16
	var holders []uuid.UUID
	for _, k := range keys {
		if k.Fingerprint != "" {
			kinds, holders = append(kinds, int16(k.Kind)), append(holders, k.Holder)
		}
	}
	if len(kinds) > 0 {
		batch.Queue(destroyKeys, who.Tenant, kinds, holders)
	}
	return batch, nil
}

// AccountOf returns how a member of staff came to sign in.
func (e Eraser) AccountOf(ctx context.Context, tenant string, member uuid.UUID) (staff.Account, error) {
	rows, _ := e.Store.DB.Query(ctx, `SELECT name, data, metadata, recorded_at FROM events WHERE tenant = $1 AND stream = $2 ORDER BY version`,
		tenant, staff.StreamOf(tenant, staff.ID{UUID: member}).ID)
	history, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r event.Recorded, err error) {
		var name string
		var data, metadata []byte
		if err := row.Scan(&name, &data, &metadata, &r.At); err != nil {
			return r, err
		}
		if r.Event, err = e.Store.Codec.Decode(name, data); err != nil {
			return r, err
		}
		r.Metadata, err = event.ParseMetadata(metadata)
		return r, err
	})
	if err != nil {
		return staff.Account{}, fmt.Errorf("read how an account was opened: %w", err)
	}
	return staff.AccountOf(member, history), nil
}

// PractitionerKnownBy returns the practitioner that calls have named with an e-mail address
// in lower case, or practitioner.ErrUnknown.
func (e Eraser) PractitionerKnownBy(ctx context.Context, tenant, email string) (practitioner.ID, error) {
	return e.Store.Keys.PractitionerKnownBy(ctx, tenant, email)
}
