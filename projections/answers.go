package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// Answers is what calls with an Idempotency-Key were answered (D22). The rows
// are unique, so that of several calls at once one gets through its append.
// Rows that are too old to count may be deleted at any time.
type Answers struct{ DB Querier }

// Name implements [Projection].
func (Answers) Name() string { return "answers.v1" }

// Project implements [Projection].
func (Answers) Project(r event.Recorded, do func(sql string, args ...any)) {
	call := r.Metadata.Idempotency
	if _, ok := r.Event.(request.Submitted); !ok || call == (event.Idempotency{}) {
		return
	}
	do(`DELETE FROM answers WHERE tenant = $1 AND key = $2 AND answered_at <= $3`,
		r.Stream.Tenant, call.Key[:], r.At.Add(-commands.AnswerLifetime))
	do(`INSERT INTO answers (tenant, key, body, made, answered_at) VALUES ($1, $2, $3, $4, $5)`,
		r.Stream.Tenant, call.Key[:], call.Body[:], r.Stream.ID, r.At)
}

// Answer implements commands.Answers.
func (a Answers) Answer(ctx context.Context, tenant string, key event.Digest, after time.Time) (commands.Answer, error) {
	var answer commands.Answer
	var body []byte
	err := a.DB.QueryRow(ctx, `SELECT made, body FROM answers WHERE tenant = $1 AND key = $2 AND answered_at > $3`,
		tenant, key[:], after).Scan(&answer.Made, &body)
	if errors.Is(err, pgx.ErrNoRows) {
		return commands.Answer{}, nil
	}
	if err != nil {
		return commands.Answer{}, fmt.Errorf("look for an answer: %w", err)
	}
	copy(answer.Body[:], body)
	return answer, nil
}
