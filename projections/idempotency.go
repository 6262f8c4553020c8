package projections

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// IdempotentResponses keeps the answers to calls with an Idempotency-Key. A key is
// unique, so that only one of several concurrent calls gets through its append. Expired
// rows may be deleted at any time.
type IdempotentResponses struct{ DB Querier }

// Name returns the permanent name.
func (IdempotentResponses) Name() string { return "answers.v1" }

// Project keeps a row for each call that had an Idempotency-Key and changed something.
// It replaces an expired one. It keeps none if the body's digest is hidden from it. The
// answer to a patient's event is deleted with the patient.
func (IdempotentResponses) Project(r event.Recorded, do func(sql string, args ...any)) {
	if e, erased := r.Event.(patient.Erased); erased {
		do(`DELETE FROM answers WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, e.Patient)
		return
	}
	if e, moved := r.Event.(event.Moved); moved {
		do(`UPDATE answers SET patient = $4 WHERE tenant = $1 AND patient = $3 AND made = $2`,
			r.Stream.Tenant, r.Stream.ID, e.FormerPatientID(), e.PatientID())
		return
	}
	call := r.Metadata.Idempotency
	body, err := hex.DecodeString(call.Body)
	if call == (event.Idempotency{}) || err != nil {
		return
	}
	tenant := cmp.Or(call.Tenant, r.Stream.Tenant)
	do(`DELETE FROM answers WHERE tenant = $1 AND key = $2 AND answered_at <= $3`,
		tenant, call.Key[:], r.At.Add(-commands.ResponseLifetime))
	do(addAnswers, row(tenant, call.Key[:], body, r.Stream.ID, r.At, idOrNull(r.About()), call.Answer)...)
}

const addAnswers = `
INSERT INTO answers (tenant, key, body, made, answered_at, patient, answer)
SELECT * FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::uuid[], $5::timestamptz[], $6::uuid[], $7::text[])`

// Response returns the answer that was given under a key after an instant, or the zero
// one.
func (r IdempotentResponses) Response(ctx context.Context, tenant string, key event.Digest, after time.Time) (commands.Response, error) {
	var body []byte
	var response commands.Response
	err := r.DB.QueryRow(ctx, `SELECT body, answer FROM answers WHERE tenant = $1 AND key = $2 AND answered_at > $3`,
		tenant, key[:], after).Scan(&body, &response.Text)
	if errors.Is(err, pgx.ErrNoRows) {
		return commands.Response{}, nil
	}
	if err != nil {
		return commands.Response{}, fmt.Errorf("look for an answer: %w", err)
	}
	response.Body = hex.EncodeToString(body)
	return response, nil
}
