package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// StepLifetime is the time between the right password and the passkey.
const StepLifetime = 5 * time.Minute

const (
	stepTries   = 5  // of one step
	memberSteps = 20 // of one member of staff; the oldest end
)

// Steps stores the members who have given the right password, and must show their
// passkey. A step gives no access. It takes a right password to make one, so strangers
// cannot fill the table.
type Steps struct {
	DB  Database
	Now func() time.Time
}

// Begin returns the token of a new step for its browser.
func (s Steps) Begin(ctx context.Context, tenant string, h Holder) (token string, err error) {
	token = newToken()
	now, batch := s.Now(), &pgx.Batch{}
	batch.Queue(`DELETE FROM staff_sign_in_steps WHERE expires_at <= $1`, now)
	batch.Queue(`INSERT INTO staff_sign_in_steps (token_hash, tenant, staff, credential, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		hashOf(token), tenant, h.Staff, h.Credential, now.Add(StepLifetime))
	batch.Queue(`
		DELETE FROM staff_sign_in_steps WHERE token_hash IN (
			SELECT token_hash FROM staff_sign_in_steps WHERE tenant = $1 AND staff = $2 AND token_hash <> $4 ORDER BY expires_at DESC OFFSET $3 - 1)`,
		tenant, h.Staff, memberSteps, hashOf(token))
	if err := s.DB.ExecBatch(ctx, batch); err != nil {
		return "", fmt.Errorf("begin the second step: %w", err)
	}
	return token, nil
}

// goodStep finds the step of a token while it is valid.
const goodStep = ` staff s
WHERE n.token_hash = $1 AND n.tenant = $2 AND n.expires_at > $3 AND n.tries < $4
	AND s.tenant = n.tenant AND s.staff = n.staff AND s.active AND s.credential = n.credential`

// Find finds the member of a step by the browser's token.
func (s Steps) Find(ctx context.Context, tenant, token string) (h Holder, found bool, err error) {
	return s.holder(ctx, `SELECT n.staff, n.credential FROM staff_sign_in_steps n,`+goodStep, tenant, token)
}

// Take is [Steps.Find], and takes one attempt of the step.
func (s Steps) Take(ctx context.Context, tenant, token string) (h Holder, found bool, err error) {
	return s.holder(ctx, `UPDATE staff_sign_in_steps n SET tries = n.tries + 1 FROM`+goodStep+` RETURNING n.staff, n.credential`, tenant, token)
}

func (s Steps) holder(ctx context.Context, query, tenant, token string) (h Holder, found bool, err error) {
	if token == "" {
		return h, false, nil
	}
	err = s.DB.QueryRow(ctx, query, hashOf(token), tenant, s.Now(), stepTries).Scan(&h.Staff, &h.Credential)
	if errors.Is(err, pgx.ErrNoRows) {
		return h, false, nil
	}
	if err != nil {
		return h, false, fmt.Errorf("find the second step: %w", err)
	}
	return h, true, nil
}

// End ends the step of a token, if there is one.
func (s Steps) End(ctx context.Context, tenant, token string) error {
	_, err := s.DB.Exec(ctx, `DELETE FROM staff_sign_in_steps WHERE token_hash = $1 AND tenant = $2`, hashOf(token), tenant)
	if err != nil {
		return fmt.Errorf("end the second step: %w", err)
	}
	return nil
}
