package verification

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/keyring"
	"frontdesk/domain/event"
	"frontdesk/domain/proof"
	"frontdesk/domain/staff"
)

// boxes opens the boxes of events and discards their contents.
func (r *reading) boxes(ctx context.Context, page []event.Stored) error {
	all := make([]keyring.Sealed, len(page))
	for n, s := range page {
		all[n] = keyring.SealedIn(s)
	}
	return r.open(ctx, proof.Events, all)
}

func (r *reading) open(ctx context.Context, kind proof.Kind, all []keyring.Sealed) error {
	if r.Boxes == nil {
		return nil
	}
	before := r.Boxes.Bad()
	bad, err := r.Keys.Look(ctx, all, r.Boxes)
	if err != nil || bad == nil {
		return err
	}
	r.Add(Finding{Check: BoxesOfLog, Tenant: bad.Tenant, Kind: kind.String(), Idx: bad.Idx, Count: r.Boxes.Bad() - before},
		"a box of idx %d (%s) does not open: %s", bad.Idx, kind, bad.Why)
	return nil
}

// readsHashes reports whether this role may read password hashes.
func (r *reading) readsHashes(ctx context.Context) (may bool, err error) {
	if err := r.DB.QueryRow(ctx, `SELECT has_table_privilege('staff_passwords', 'SELECT')`).Scan(&may); err != nil {
		return false, fmt.Errorf("check read rights: %w", err)
	}
	return may, nil
}

// otherHashes finds stored hashes that do not match their digests in the log.
const otherHashes = `
SELECT w.tenant, w.staff FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::bytea[]) AS w (tenant, staff, credential, digest)
JOIN staff_passwords p ON p.tenant = w.tenant AND p.staff = w.staff AND p.credential = w.credential
WHERE sha256(convert_to(p.hash, 'UTF8')) <> w.digest`

// passwords compares the stored hashes with the digests in events, if they have them.
func (r *reading) passwords(ctx context.Context, page []event.Stored) error {
	var tenants []string
	var members []staff.ID
	var credentials []staff.CredentialID
	var digests [][]byte
	for _, s := range page {
		if !r.hashes || s.Name != (staff.PasswordSet{}).EventName() {
			continue
		}
		e, err := r.Log.Codec.Join(s, nil)
		if err != nil {
			return err
		}
		if set, ok := e.Event.(staff.PasswordSet); ok && set.Digest != (event.Digest{}) {
			tenants, members = append(tenants, s.Stream.Tenant), append(members, staff.ID{UUID: s.Stream.ID})
			credentials, digests = append(credentials, set.Credential), append(digests, set.Digest[:])
		}
	}
	if len(tenants) == 0 {
		return nil
	}
	rows, _ := r.DB.Query(ctx, otherHashes, tenants, members, credentials, digests)
	var tenant string
	var member staff.ID
	_, err := pgx.ForEachRow(rows, []any{&tenant, &member}, func() error {
		r.Add(Finding{Check: Passwords, Tenant: tenant, Count: 1}, "the hash of the password of staff %s at %s is not the one that the log knows", member, tenant)
		return nil
	})
	if err != nil {
		return fmt.Errorf("compare hashes of passwords: %w", err)
	}
	return nil
}
