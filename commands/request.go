package commands

import (
	"cmp"
	"context"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// Receptions reads when practices accept requests.
type Receptions interface {
	// Receptions returns when a practice accepts requests. They have no zone if the
	// practice does not exist.
	Receptions(ctx context.Context, tenant string) (practice.Receptions, error)
}

// SubmitPatientRequest submits a patient's request to the practice.
type SubmitPatientRequest struct {
	Tenant     string
	Submission request.Submission
	Receptions practice.Receptions // to check it against; without a zone, the practice's are read
}

// SubmitPatientRequest returns the request's identifier. It refuses with the first that
// applies of patient.ErrUnknown, practice.ErrTypeDisabled, practice.ErrTypePaused and
// practice.ErrTypeClosed (D2).
//
// The append refuses a patient that the practice does not have. So a query for the
// patient is only needed first if there is another refusal.
func (d Desk) SubmitPatientRequest(ctx context.Context, c SubmitPatientRequest) (request.ID, error) {
	receptions, err := d.receptions(ctx, c)
	if err != nil {
		return request.ID{}, err
	}
	if refusal := receptions.Reception(c.Submission.Type).Availability(d.Now()).Err(); refusal != nil {
		return request.ID{}, cmp.Or(d.knowPatient(ctx, c.Tenant, c.Submission.Patient), refusal)
	}
	id := request.ID{UUID: event.NewID()}
	return id, d.beginOfPatient(ctx, request.StreamOf(c.Tenant, id), request.Submit(c.Submission)...)
}

func (d Desk) receptions(ctx context.Context, c SubmitPatientRequest) (practice.Receptions, error) {
	if c.Receptions.Zone != nil {
		return c.Receptions, nil
	}
	found, err := d.Receptions.Receptions(ctx, c.Tenant)
	if err == nil && found.Zone == nil {
		return found, patient.ErrUnknown // a practice that does not exist has no patients
	}
	return found, err
}

// MarkPatientRequestEnteredInError marks a patient request that must not be relied on.
type MarkPatientRequestEnteredInError struct {
	Tenant  string
	Patient patient.ID // the patient of the request
	Request request.ID
	Reason  string // in clear text, so without names
}

// MarkPatientRequestEnteredInError changes nothing if the request is marked already. It
// refuses a request of another patient or practice with request.ErrUnknown.
func (d Desk) MarkPatientRequestEnteredInError(ctx context.Context, c MarkPatientRequestEnteredInError) error {
	return Update(ctx, d.Store, request.StreamOf(c.Tenant, c.Request), func(r request.Request) ([]event.Event, error) {
		return r.MarkEnteredInError(c.Patient, c.Reason)
	})
}
