package signin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/staff"
)

// Passkeys stores and verifies the passkeys of staff.
type Passkeys struct {
	DB         Database
	Challenges Challenges
	Now        func() time.Time
	Log        *slog.Logger
}

// Passkey is one passkey of a member of staff.
type Passkey struct {
	ID      staff.PasskeyID
	Name    string
	AddedAt time.Time
	UsedAt  *time.Time // nil for never

	holder         Holder
	credential     []byte
	publicKey      []byte
	backupEligible bool
	signCount      uint32
	transports     []string
}

const passkeysOf = `
SELECT s.staff, s.credential, k.passkey, k.name, k.added_at, u.used_at, k.credential, k.public_key, k.backup_eligible,
	greatest(k.sign_count, u.sign_count), k.transports
FROM staff s
JOIN staff_passkeys k ON k.tenant = s.tenant AND k.staff = s.staff
LEFT JOIN staff_passkey_uses u ON u.tenant = k.tenant AND u.staff = k.staff AND u.passkey = k.passkey
WHERE s.tenant = $1 AND s.staff = $2 AND s.active AND s.credential IS NOT NULL
ORDER BY k.added_at, k.passkey`

// List returns the passkeys of a member of staff who may sign in, in the order in which
// they were added.
func (p Passkeys) List(ctx context.Context, tenant string, member staff.ID) ([]Passkey, error) {
	rows, _ := p.DB.Query(ctx, passkeysOf, tenant, member)
	passkeys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k Passkey, err error) {
		err = row.Scan(&k.holder.Staff, &k.holder.Credential, &k.ID, &k.Name, &k.AddedAt, &k.UsedAt, &k.credential, &k.publicKey,
			&k.backupEligible, &k.signCount, &k.transports)
		return k, err
	})
	if err != nil {
		return nil, fmt.Errorf("list passkeys: %w", err)
	}
	return passkeys, nil
}

// errCount: the count of a passkey has gone back, or was used in between.
var errCount = errors.New("the passkey's count has gone back")

// recordUse records a passkey's signature of a challenge, with its count. It returns
// [ErrPasskey] if the challenge was used before, or if the count has gone back: then
// there is a copy of the passkey, and it is unknown which one is the owner's.
func (p Passkeys) recordUse(ctx context.Context, a Ask, by Passkey, c challenge) error {
	err := p.DB.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if err := p.storeChallenge(ctx, tx, c); err != nil {
			return err
		}
		return p.storeCount(ctx, tx, a.Tenant, by)
	})
	if errors.Is(err, errCount) {
		p.warnOfCopy(ctx, a, by)
		return ErrPasskey
	}
	if err != nil && !errors.Is(err, ErrPasskey) {
		return fmt.Errorf("note the use of a passkey: %w", err)
	}
	return err
}

// storeChallenge stores a challenge until it expires, and deletes some that have expired.
func (p Passkeys) storeChallenge(ctx context.Context, by changing, c challenge) error {
	_, err := by.Exec(ctx, `
		DELETE FROM staff_challenges WHERE challenge = ANY (ARRAY(
			SELECT challenge FROM staff_challenges WHERE expires_at <= $1 ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED))`, p.Now())
	if err != nil {
		return err
	}
	done, err := by.Exec(ctx, `INSERT INTO staff_challenges (challenge, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`, c.bits[:], c.ends)
	if err == nil && done.RowsAffected() == 0 {
		err = ErrPasskey
	}
	return err
}

// storeCount stores the use and the count, and deletes passkeys that the member has
// removed. An authenticator without a counter always sends zero.
func (p Passkeys) storeCount(ctx context.Context, by changing, tenant string, k Passkey) error {
	_, err := by.Exec(ctx, `
		DELETE FROM staff_passkey_uses u WHERE u.tenant = $1 AND u.staff = $2 AND NOT EXISTS (
			SELECT FROM staff_passkeys k WHERE k.tenant = u.tenant AND k.passkey = u.passkey)`, tenant, k.holder.Staff)
	if err != nil {
		return err
	}
	done, err := by.Exec(ctx, `
		INSERT INTO staff_passkey_uses AS u (tenant, staff, passkey, sign_count, used_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant, staff, passkey) DO UPDATE SET sign_count = $4, used_at = greatest(u.used_at, $5)
		WHERE u.sign_count < $4 OR u.sign_count = 0 AND $4 = 0`, tenant, k.holder.Staff, k.ID, int64(k.signCount), p.Now())
	if err == nil && done.RowsAffected() == 0 {
		err = errCount
	}
	return err
}

// warnOfCopy logs a possible copy of a passkey.
func (p Passkeys) warnOfCopy(ctx context.Context, a Ask, k Passkey) {
	p.Log.ErrorContext(ctx, "the count of a passkey has gone back: it may have been copied",
		slog.String("tenant", a.Tenant), slog.String("staff", k.holder.Staff.String()), slog.String("passkey", k.ID.String()))
}
