package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

// PatientRequests is what patients have asked of each practice. It follows the
// log.
type PatientRequests struct{ DB Querier }

// PatientRequest is one row of [PatientRequests]. What the patient wrote stays
// in the log.
type PatientRequest struct {
	Request      request.ID
	Patient      patient.ID
	RequestType  request.Type
	Requester    request.Requester
	HighPriority bool
	SubmittedAt  time.Time
}

// Name implements [Projection].
func (PatientRequests) Name() string { return "patient-requests.v1" }

// Project implements [Projection].
func (PatientRequests) Project(r event.Recorded, do func(sql string, args ...any)) {
	if e, ok := r.Event.(request.Submitted); ok {
		do(`INSERT INTO patient_requests (tenant, request, patient, request_type, requester, high_priority, submitted_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			r.Stream.Tenant, r.Stream.ID, e.Patient, string(e.Type), string(e.Requester), e.HighPriority, r.At)
	}
}

// OfPatient lists a patient's requests, newest first, at most limit.
func (p PatientRequests) OfPatient(ctx context.Context, tenant string, id patient.ID, limit int) ([]PatientRequest, error) {
	rows, _ := p.DB.Query(ctx, `
		SELECT request, patient, request_type, requester, high_priority, submitted_at
		FROM patient_requests WHERE tenant = $1 AND patient = $2 ORDER BY submitted_at DESC, request DESC LIMIT $3`,
		tenant, id, limit)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[PatientRequest])
	if err != nil {
		return nil, fmt.Errorf("list patient requests: %w", err)
	}
	return found, nil
}
