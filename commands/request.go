package commands

import (
	"context"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// Admissions answers what is asked before a request is taken.
type Admissions interface {
	// Admission answers for one patient and type, at once. A practice that
	// there is not has no patient.
	Admission(ctx context.Context, tenant string, id patient.ID, typ request.Type) (Admission, error)
}

// Admission is what stands for or against a request of one type.
type Admission struct {
	PatientExists bool // in the practice
	Reception     practice.Reception
}

// check refuses a patient of another practice with patient.ErrUnknown, and
// then for the practice's own reasons at an instant.
func (a Admission) check(now time.Time) error {
	if !a.PatientExists {
		return patient.ErrUnknown
	}
	return a.Reception.At(now).Err()
}

// SubmitPatientRequest hands a patient's request to the practice (§4.1).
type SubmitPatientRequest struct {
	Tenant      string
	Submission  request.Submission
	Idempotency event.Idempotency // zero: made again, it is another request
}

// SubmitPatientRequest returns the request's identifier, or the rule that
// refuses it: patient.ErrUnknown, practice.ErrTypeDisabled,
// practice.ErrTypePaused or practice.ErrTypeClosed, in this order (D2). A
// request that was made before comes before all of these, with the identifier
// that it was given then, or [ErrKeyReused].
func (d Desk) SubmitPatientRequest(ctx context.Context, c SubmitPatientRequest) (request.ID, error) {
	id, err := d.once(ctx, c.Tenant, c.Idempotency, func(ctx context.Context) (uuid.UUID, error) {
		return d.submit(ctx, c)
	})
	return request.ID{UUID: id}, err
}

func (d Desk) submit(ctx context.Context, c SubmitPatientRequest) (uuid.UUID, error) {
	admission, err := d.Admissions.Admission(ctx, c.Tenant, c.Submission.Patient, c.Submission.Type)
	if err != nil {
		return uuid.Nil, err
	}
	if err := admission.check(d.Now()); err != nil {
		return uuid.Nil, err
	}
	events, err := request.Request{}.Submit(c.Submission)
	if err != nil {
		return uuid.Nil, err
	}
	id := request.ID{UUID: event.NewID()}
	return id.UUID, d.begin(ctx, request.StreamOf(c.Tenant, id), events...)
}
