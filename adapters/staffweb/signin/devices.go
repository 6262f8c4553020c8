package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// DeviceLifetime is how long a device is known after its last sign-in.
const DeviceLifetime = 90 * 24 * time.Hour

const (
	deviceLimit   = 5  // attempts of a device since the last sign-in
	memberDevices = 10 // of one member of staff; the oldest are deleted
)

// Devices stores the browsers that staff have signed in with. Their attempts are
// counted separately, so that guessing strangers do not lock the owner out (D45). A
// device never waits: once its attempts are used up, it counts as a stranger's.
type Devices struct {
	DB  Database
	Now func() time.Time
}

// knownDevice finds the row of a token at a practice and a username, while it is valid.
const knownDevice = ` staff s
WHERE d.token_hash = $1 AND d.tenant = $2 AND d.tries < $4 AND d.signed_in_at > $5
	AND s.tenant = d.tenant AND s.staff = d.staff AND s.username = $3 AND s.active AND s.credential = d.credential`

func (d Devices) about(t Try) []any {
	return []any{hashOf(t.Device), t.Tenant, storable(t.Username), deviceLimit, d.Now().Add(-DeviceLifetime)}
}

// Known reports whether this browser has signed in to the account before and has
// attempts left.
func (d Devices) Known(ctx context.Context, t Try) (known bool, err error) {
	if t.Device == "" {
		return false, nil
	}
	err = d.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM staff_devices d,`+knownDevice+`)`, d.about(t)...).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("look up device: %w", err)
	}
	return known, nil
}

// errStranger: a device has no attempt left, or is no longer known.
var errStranger = errors.New("the device is a stranger's")

// Reserve takes one attempt of the device, before the password is checked. The next one
// may follow at once.
func (d Devices) Reserve(ctx context.Context, t Try) (until time.Time, taken bool, err error) {
	done, err := d.DB.Exec(ctx, `UPDATE staff_devices d SET tries = d.tries + 1 FROM`+knownDevice, d.about(t)...)
	if err != nil {
		return until, false, fmt.Errorf("reserve a try of a device: %w", err)
	}
	if done.RowsAffected() == 0 {
		return until, false, errStranger
	}
	return until, true, nil
}

// Renew gives the browser a new token after a sign-in. Its old token is void from now
// on, wherever a copy may be. The new one also counts for others who have signed in
// with this browser, with the attempts that they have left.
func (d Devices) Renew(ctx context.Context, t Try, h Holder) (token string, err error) {
	token = newToken()
	now, batch := d.Now(), &pgx.Batch{}
	batch.Queue(`DELETE FROM staff_devices WHERE signed_in_at <= $1`, now.Add(-DeviceLifetime))
	batch.Queue(`UPDATE staff_devices SET token_hash = $1 WHERE token_hash = $2 AND tenant = $3`, hashOf(token), hashOf(t.Device), t.Tenant)
	batch.Queue(`
		INSERT INTO staff_devices (token_hash, tenant, staff, credential, signed_in_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (token_hash, staff) DO UPDATE SET credential = $4, tries = 0, signed_in_at = $5`,
		hashOf(token), t.Tenant, h.Staff, h.Credential, now)
	batch.Queue(`
		DELETE FROM staff_devices WHERE tenant = $1 AND staff = $2 AND token_hash IN (
			SELECT token_hash FROM staff_devices WHERE tenant = $1 AND staff = $2 ORDER BY signed_in_at DESC OFFSET $3)`,
		t.Tenant, h.Staff, memberDevices)
	if err := d.DB.ExecBatch(ctx, batch); err != nil {
		return "", fmt.Errorf("renew device: %w", err)
	}
	return token, nil
}
