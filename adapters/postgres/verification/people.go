package verification

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/staff"
)

// otherPasskeys finds stored passkeys that no event of their owner has added as they are, or
// that were removed since. A passkey that was added before the last reset, reactivation or
// erasure of its owner is removed, too.
const otherPasskeys = `
SELECT p.tenant, p.staff, p.passkey FROM staff_passkeys p
WHERE NOT EXISTS (
	SELECT FROM events a
	WHERE a.stream = p.staff AND a.tenant = p.tenant AND a.name = $1 AND a.data::json ->> 'passkey' = p.passkey::text
		AND decode(a.data::json ->> 'publicKey', 'base64') = p.public_key AND decode(a.data::json ->> 'credentialId', 'base64') = p.credential
		AND NOT EXISTS (
			SELECT FROM events r WHERE r.stream = a.stream AND r.tenant = a.tenant AND r.version > a.version
				AND (r.name = ANY ($2) OR r.name = $3 AND r.data::json ->> 'passkey' = p.passkey::text)))
ORDER BY p.tenant, p.staff, p.passkey`

// passkeys compares the stored public keys of passkeys with the log.
func (r *reading) passkeys(ctx context.Context) error {
	ending := []string{(staff.Reset{}).EventName(), (staff.Reactivated{}).EventName(), (staff.Erased{}).EventName()}
	rows, _ := r.DB.Query(ctx, otherPasskeys, (staff.PasskeyAdded{}).EventName(), ending, (staff.PasskeyRemoved{}).EventName())
	var tenant string
	var member staff.ID
	var passkey staff.PasskeyID
	_, err := pgx.ForEachRow(rows, []any{&tenant, &member, &passkey}, func() error {
		r.Add(Finding{Check: Passkeys, Tenant: tenant, Count: 1}, "the passkey %s of staff %s at %s is not one that the log knows", passkey, member, tenant)
		return nil
	})
	if err != nil {
		return fmt.Errorf("compare passkeys: %w", err)
	}
	return nil
}

// keysBack finds keys of holders whose keys were destroyed.
const keysBack = `
SELECT w.tenant, w.kind, w.holder, w.idx FROM unnest($1::text[], $2::smallint[], $3::uuid[], $4::bigint[]) AS w (tenant, kind, holder, idx)
WHERE EXISTS (SELECT FROM personal_keys k WHERE k.tenant = w.tenant AND k.kind = w.kind AND k.holder = w.holder)`

// erased finds keys that erasures of a page have destroyed, and that are there again.
func (r *reading) erased(ctx context.Context, page []event.Stored) error {
	var tenants []string
	var kinds []int16
	var holders []uuid.UUID
	var idx []int64
	for _, s := range page {
		if !strings.HasSuffix(s.Name, ".erased.v1") {
			continue
		}
		e, err := r.Log.Codec.Join(s, nil)
		if err != nil {
			return err
		}
		for _, k := range keysOf(e.Event) {
			tenants, kinds, holders, idx = append(tenants, s.Stream.Tenant), append(kinds, int16(k.Kind)), append(holders, k.Holder), append(idx, s.Idx)
		}
	}
	if len(tenants) == 0 {
		return nil
	}
	rows, _ := r.DB.Query(ctx, keysBack, tenants, kinds, holders, idx)
	var tenant string
	var kind event.HolderKind
	var holder uuid.UUID
	var by int64
	_, err := pgx.ForEachRow(rows, []any{&tenant, &kind, &holder, &by}, func() error {
		r.Add(Finding{Check: Keys, Tenant: tenant, Idx: by, Count: 1}, "the key of the %s %s at %s is back, although idx %d has erased it", kind, holder, tenant, by)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for keys that are back: %w", err)
	}
	return nil
}

// keysOf returns the keys that an erasure has destroyed.
func keysOf(e event.Event) []erasure.Key {
	switch e := e.(type) {
	case patient.Erased:
		return e.Keys
	case staff.Erased:
		return e.Keys
	case practitioner.Erased:
		return e.Keys
	}
	return nil
}
