package postgres

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/domain/access"
)

// One statement for all lines costs a quarter of one for each. Lines whose
// commit nobody heard of are written again: each once.
const insertCalls = `
INSERT INTO access_record (request_id, at, tenant, application, mode, staff, endpoint, patient, status, code, reason, act, token_hash)
SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::uuid[],
	$9::int[], $10::text[], $11::text[], $12::text[], $13::bytea[])
ON CONFLICT (request_id) DO NOTHING`

// accessLines is calls by column.
type accessLines struct {
	id, application, staff, patient      []pgtype.UUID
	at                                   []time.Time
	tenant, mode, endpoint, code, reason []string
	status                               []int
	act                                  []*string
	tokenHash                            [][]byte
}

func linesOf(calls []access.Call) *accessLines {
	l := &accessLines{}
	for _, c := range calls {
		l.add(c)
	}
	return l
}

func (l *accessLines) add(c access.Call) {
	var act *string
	if c.Act != nil {
		text, _ := json.Marshal(c.Act) // of strings alone
		act = new(string(text))
	}
	l.id, l.at = append(l.id, idOrNull(c.RequestID)), append(l.at, c.At)
	l.tenant, l.application = append(l.tenant, c.Tenant), append(l.application, idOrNull(c.Application.UUID))
	l.mode, l.staff = append(l.mode, string(c.Mode)), append(l.staff, idOrNull(c.Staff.UUID))
	l.endpoint, l.patient = append(l.endpoint, string(c.Endpoint)), append(l.patient, idOrNull(c.Patient.UUID))
	l.status = append(l.status, c.Status)
	l.code, l.reason = append(l.code, c.Code), append(l.reason, c.Reason)
	l.act, l.tokenHash = append(l.act, act), append(l.tokenHash, c.TokenHash[:])
}

// idOrNull is an identifier as a column holds it: NULL for the zero one.
func idOrNull(id uuid.UUID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: id != uuid.Nil} }

// args are the parameters of [insertCalls].
func (l *accessLines) args() []any {
	return []any{
		l.id, l.at, l.tenant, l.application, l.mode, l.staff, l.endpoint, l.patient,
		l.status, l.code, l.reason, l.act, l.tokenHash,
	}
}
