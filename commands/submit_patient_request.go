package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

// SubmitPatientRequest hands a patient's request to the practice (§4.1).
type SubmitPatientRequest struct {
	Tenant     string
	Submission request.Submission
}

// Patients knows the patients of each practice.
type Patients interface {
	// PatientExists reports whether the practice has the patient (D18).
	PatientExists(ctx context.Context, tenant string, id patient.ID) (bool, error)
}

// SubmitPatientRequestHandler handles [SubmitPatientRequest].
type SubmitPatientRequestHandler struct {
	Store    Store
	Patients Patients
}

// Handle stores the request and returns its identifier (§2.5), or the rule
// that refuses it: patient.ErrUnknown for a patient of nobody or of another
// practice.
func (h SubmitPatientRequestHandler) Handle(ctx context.Context, c SubmitPatientRequest) (request.ID, error) {
	id := request.ID{UUID: event.NewID()}
	exists, err := h.Patients.PatientExists(ctx, c.Tenant, c.Submission.Patient)
	switch {
	case err != nil:
	case !exists:
		err = patient.ErrUnknown
	default:
		err = h.submit(ctx, request.StreamOf(c.Tenant, id), c.Submission)
	}
	if err != nil {
		return request.ID{}, fmt.Errorf("submit patient request: %w", err)
	}
	return id, nil
}

// submit appends to a stream that is new by its id, so there is nothing to
// load first: one round trip less on the busiest path.
func (h SubmitPatientRequestHandler) submit(ctx context.Context, stream event.Stream, s request.Submission) error {
	events, err := request.Request{}.Submit(s)
	if err == nil {
		_, err = h.Store.Append(ctx, event.Change{Stream: stream, Events: events})
	}
	return err
}
