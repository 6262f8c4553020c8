package keyring

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

// newKey is a key as it is stored.
type newKey struct {
	owner
	patient     *uuid.UUID // the patient of a request's key
	fingerprint []byte
	master      string
	wrapped     []byte
}

// Rows are the keys that appends have made, as they are stored.
type Rows []newKey

// Queue queues the statement that stores the keys, if there are any.
func (r Rows) Queue(batch *pgx.Batch) {
	if len(r) > 0 {
		batch.Queue(insertKeys, keyColumns(r)...)
	}
}

// Wrap returns the rows of the keys that an append has made. A request's key belongs to
// the patient of its event.
func (k *Keyring) Wrap(made Minted, events []Split) (rows Rows, err error) {
	if len(made.keys) == 0 {
		return nil, nil
	}
	master, wrapper, err := k.Masters.Current()
	if err != nil {
		return nil, err
	}
	for o, key := range made.keys {
		fingerprint := key.Fingerprint()
		rows = append(rows, newKey{o, patientFor(o, events), fingerprint[:], master, wrapper.Wrap(key, o.tenant, o.holder)})
	}
	return rows, nil
}

func patientFor(o owner, events []Split) *uuid.UUID {
	for _, e := range events {
		if o.holder == (event.Holder{Kind: event.OfRequest, ID: e.Stream.ID}) && e.Patient != uuid.Nil {
			return &e.Patient
		}
	}
	return nil
}

// letRequestsBegin lets events make the keys of requests without any text before. Such a
// request had nothing to encrypt when it was submitted.
func (k *Keyring) letRequestsBegin(ctx context.Context, events []Split, all keys) error {
	for n, e := range events {
		o := owner{e.Stream.Tenant, event.Holder{Kind: event.OfRequest, ID: e.Stream.ID}}
		ofRequest := func(p event.Personal) bool { return p.Of == o.holder }
		if e.Version == 1 || all.has(o) || !slices.ContainsFunc(e.personal, ofRequest) {
			continue
		}
		sealed, err := k.hasBox(ctx, o)
		if err != nil {
			return err
		}
		events[n].mints = !sealed
	}
	return nil
}

// hasBox reports whether a holder's own stream has a box under their key.
func (k *Keyring) hasBox(ctx context.Context, o owner) (found bool, err error) {
	rows, _ := k.DB.Query(ctx, `SELECT sealed FROM events WHERE stream = $1 AND tenant = $2 AND sealed IS NOT NULL`, o.holder.ID, o.tenant)
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&sealed}, func() error {
		boxes, err := sealing.Boxes(sealed)
		found = found || slices.ContainsFunc(boxes, func(b sealing.Box) bool { return b.Of == o.holder })
		return err
	})
	if err != nil {
		return false, fmt.Errorf("look what is sealed in a stream: %w", err)
	}
	return found, nil
}

// insertKeys stores any number of keys with one statement. It does not find a master key
// that the database no longer accepts, and the column refuses NULL: a foreign key would lock
// the row of the master key for each key (D134).
const insertKeys = `
INSERT INTO personal_keys (tenant, kind, holder, patient, fingerprint, master, wrapped)
SELECT k.tenant, k.kind, k.holder, k.patient, k.fingerprint, (SELECT id FROM master_keys WHERE id = k.master AND unused_at IS NULL), k.wrapped
FROM ` + newKeys

const newKeys = `unnest($1::text[], $2::smallint[], $3::uuid[], $4::uuid[], $5::bytea[], $6::text[], $7::bytea[])
	AS k (tenant, kind, holder, patient, fingerprint, master, wrapped)`

// keyColumns returns the columns of keys, in an order in which two who make the same keys
// do not wait for each other in a circle.
func keyColumns(keys []newKey) []any {
	slices.SortFunc(keys, func(a, b newKey) int { return compareOwners(a.owner, b.owner) })
	var tenants, masters []string
	var kinds []int16
	var holders, patients pgtype.FlatArray[pgtype.UUID]
	var fingerprints, wrapped [][]byte
	for _, k := range keys {
		tenants, kinds, holders = append(tenants, k.tenant), append(kinds, int16(k.holder.Kind)), append(holders, postgres.Nullable(&k.holder.ID))
		patients, masters = append(patients, postgres.Nullable(k.patient)), append(masters, k.master)
		fingerprints, wrapped = append(fingerprints, k.fingerprint), append(wrapped, k.wrapped)
	}
	return []any{tenants, kinds, holders, patients, fingerprints, masters, wrapped}
}

func compareOwners(a, b owner) int {
	return cmp.Or(cmp.Compare(a.tenant, b.tenant), cmp.Compare(a.holder.Kind, b.holder.Kind), bytes.Compare(a.holder.ID[:], b.holder.ID[:]))
}
