package commands

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// SubmitPatientRequest hands a patient's request to the practice (§4.1).
type SubmitPatientRequest struct {
	Tenant      string
	Submission  request.Submission
	Idempotency event.Idempotency // zero: made again, it is another request (D22)
}

// Intakes answers what is asked before a request is taken.
type Intakes interface {
	// Intake answers for one patient and type, at once. A practice that there
	// is not has no patient.
	Intake(ctx context.Context, tenant string, id patient.ID, typ request.Type) (Intake, error)
}

// Intake is what stands for or against a request of one type.
type Intake struct {
	PatientExists bool               // in the practice (D18)
	Reception     practice.Reception // of the request's type (D23)
}

// check refuses at an instant: a patient of nobody or of another practice
// with patient.ErrUnknown, and then for the practice's own reasons (D2).
func (i Intake) check(now time.Time) error {
	if !i.PatientExists {
		return patient.ErrUnknown
	}
	return i.Reception.At(now).Err()
}

// SubmitPatientRequestHandler handles [SubmitPatientRequest].
type SubmitPatientRequestHandler struct {
	Store   Store
	Intakes Intakes
	Answers Answers
	Now     Clock
}

// Handle stores the request and returns its identifier (§2.5), or the rule
// that refuses it: patient.ErrUnknown, practice.ErrTypeDisabled,
// practice.ErrTypePaused or practice.ErrTypeClosed, in this order (D2). A
// request that was made before comes before all of these, with the identifier
// it was given then, or [ErrKeyReused] (D22).
func (h SubmitPatientRequestHandler) Handle(ctx context.Context, c SubmitPatientRequest) (request.ID, error) {
	id, err := once(ctx, h.Answers, c.Tenant, c.Idempotency, h.Now(), func(ctx context.Context) (uuid.UUID, error) {
		return h.submit(ctx, c)
	})
	if err != nil {
		return request.ID{}, fmt.Errorf("submit patient request: %w", err)
	}
	return request.ID{UUID: id}, nil
}

// submit appends to a stream that is new by its id, so there is nothing to
// load first: one round trip less on the busiest path.
func (h SubmitPatientRequestHandler) submit(ctx context.Context, c SubmitPatientRequest) (uuid.UUID, error) {
	intake, err := h.Intakes.Intake(ctx, c.Tenant, c.Submission.Patient, c.Submission.Type)
	if err != nil {
		return uuid.Nil, err
	}
	if err := intake.check(h.Now()); err != nil {
		return uuid.Nil, err
	}
	events, err := request.Request{}.Submit(c.Submission)
	if err != nil {
		return uuid.Nil, err
	}
	id := event.NewID()
	_, err = h.Store.Append(ctx, event.Change{Stream: request.StreamOf(c.Tenant, request.ID{UUID: id}), Events: events})
	return id, err
}
