package accesslog

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

// insertCalls takes a quarter of the time of one statement for each line. A batch
// whose commit was not confirmed is written again: it skips existing lines.
const insertCalls = `
INSERT INTO access_record (request_id, at, tenant, application, mode, staff, endpoint, patient, status, code, reason, act, token_hash, sealed, repeats, took_ms, idempotency_key, replayed, further, user_agent)
SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::uuid[],
	$9::int[], $10::text[], $11::text[], $12::text[], $13::bytea[], $14::bytea[], $15::int[], $16::int[], $17::bytea[], $18::boolean[], $19::text[], $20::text[])
ON CONFLICT (request_id) DO NOTHING`

// columns holds calls by column.
type columns struct {
	id, application, staff, patient      []pgtype.UUID
	at                                   []time.Time
	tenant, mode, endpoint, code, reason []string
	status, repeats                      []int
	act                                  []*string
	tokenHash, sealed, key               [][]byte
	took                                 []*int
	replayed                             []bool
	further, agent                       []*string
}

// linesOf returns the lines as they are written. The practitioner of a call is encrypted.
func (r *Recorder) linesOf(ctx context.Context, calls []access.Call) (*columns, error) {
	acts, boxes, err := r.sealActs(ctx, calls)
	if err != nil {
		return nil, err
	}
	l := &columns{}
	for n, c := range calls {
		c.Act = acts[n]
		l.add(c, boxes[n])
	}
	return l, nil
}

func (l *columns) add(c access.Call, box []byte) {
	l.id, l.at = append(l.id, postgres.IDOrNull(c.RequestID)), append(l.at, c.At)
	l.tenant, l.application = append(l.tenant, c.Tenant), append(l.application, applicationOf(c))
	l.mode, l.staff = append(l.mode, string(c.Mode)), append(l.staff, postgres.IDOrNull(c.Staff.UUID))
	l.endpoint, l.patient = append(l.endpoint, string(c.Endpoint)), append(l.patient, postgres.IDOrNull(c.Patient.UUID))
	l.status = append(l.status, c.Status)
	l.code, l.reason = append(l.code, c.Code), append(l.reason, c.Reason)
	l.act, l.tokenHash = append(l.act, actOf(c)), append(l.tokenHash, c.TokenHash[:])
	l.sealed, l.repeats, l.took = append(l.sealed, box), append(l.repeats, c.Repeats), append(l.took, tookOf(c))
	l.key, l.replayed, l.further = append(l.key, keyOf(c)), append(l.replayed, c.Replayed), append(l.further, furtherOf(c))
	l.agent = append(l.agent, agentOf(c))
}

// applicationOf returns the application that called. Each call has one, and no look.
func applicationOf(c access.Call) pgtype.UUID {
	if c.Looked() {
		return pgtype.UUID{Valid: true}
	}
	return postgres.IDOrNull(c.Application.UUID)
}

// actOf returns the act claim of a call, or the patients that a look has shown.
func actOf(c access.Call) *string {
	switch {
	case c.Looked():
		return new(c.ShownPatients())
	case c.Act == nil:
		return nil
	}
	text, _ := json.Marshal(c.Act) // cannot fail: it holds only strings
	return new(string(text))
}

// tookOf returns the duration of a call, in milliseconds. A look has none.
func tookOf(c access.Call) *int {
	if c.Looked() {
		return nil
	}
	return new(int(c.Took.Milliseconds()))
}

// keyOf returns the digest of a call's Idempotency-Key; nil without one.
func keyOf(c access.Call) []byte {
	if c.Key == (event.Digest{}) {
		return nil
	}
	return c.Key[:]
}

// agentOf returns the user agent of a call; nil if it is not known.
func agentOf(c access.Call) *string {
	if c.Agent == "" {
		return nil
	}
	return new(c.Agent)
}

// furtherOf returns the refusals after the first, as JSON; nil without any.
func furtherOf(c access.Call) *string {
	if len(c.Further) == 0 {
		return nil
	}
	text, _ := json.Marshal(c.Further) // cannot fail: it holds only strings
	return new(string(text))
}

// args returns the parameters of [insertCalls].
func (l *columns) args() []any {
	return []any{
		l.id, l.at, l.tenant, l.application, l.mode, l.staff, l.endpoint, l.patient,
		l.status, l.code, l.reason, l.act, l.tokenHash, l.sealed, l.repeats, l.took, l.key, l.replayed, l.further, l.agent,
	}
}
