package commands

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// Admissions answers what is asked before a request is taken.
type Admissions interface {
	// Admission returns what stands for or against a request of one patient and
	// type. A practice that does not exist has no patients.
	Admission(ctx context.Context, tenant string, id patient.ID, typ request.Type) (Admission, error)
}

// Admission is what stands for or against a patient's request of one type.
type Admission struct {
	PatientExists bool // in the practice
	Reception     practice.Reception
}

// check refuses a patient of another practice with patient.ErrUnknown. Then it refuses
// for the practice's own reasons at an instant.
func (a Admission) check(now time.Time) error {
	if !a.PatientExists {
		return patient.ErrUnknown
	}
	return a.Reception.At(now).Err()
}

// SubmitPatientRequest hands a patient's request to the practice.
type SubmitPatientRequest struct {
	Tenant      string
	Submission  request.Submission
	Idempotency event.Idempotency // zero if a repeated call is another request
}

// SubmitPatientRequest returns the request's identifier. If the same call was made
// before, that is the identifier which it was given then; if the key was used for
// another body, the error is [ErrKeyReused]. Only then it refuses, with the first that
// holds of patient.ErrUnknown, practice.ErrTypeDisabled, practice.ErrTypePaused and
// practice.ErrTypeClosed (D2).
func (d Desk) SubmitPatientRequest(ctx context.Context, c SubmitPatientRequest) (request.ID, error) {
	id, err := d.once(ctx, c.Tenant, c.Idempotency, func(ctx context.Context) (uuid.UUID, error) {
		return d.submit(ctx, c)
	})
	return request.ID{UUID: id}, err
}

// submit asks whether the practice takes the request now, and appends it.
func (d Desk) submit(ctx context.Context, c SubmitPatientRequest) (uuid.UUID, error) {
	admission, err := d.Admissions.Admission(ctx, c.Tenant, c.Submission.Patient, c.Submission.Type)
	if err != nil {
		return uuid.Nil, err
	}
	if err := admission.check(d.Now()); err != nil {
		return uuid.Nil, err
	}
	id := request.ID{UUID: event.NewID()}
	return id.UUID, d.begin(ctx, request.StreamOf(c.Tenant, id), request.Submit(c.Submission)...)
}

// AnswerLifetime is how long an answer is remembered (D22).
const AnswerLifetime = 24 * time.Hour

// Answers knows what calls with an Idempotency-Key were answered.
type Answers interface {
	// Answer returns the answer that a tenant's call with the key was given after
	// an instant, and the zero Answer if there was none.
	Answer(ctx context.Context, tenant string, key event.Digest, after time.Time) (Answer, error)
}

// Answer is what a call was answered.
type Answer struct {
	Made uuid.UUID // the stream that the call began
	Body string    // SHA-256 of the call's body, in hexadecimal
}

// Refusals of a call that is made again.
var (
	ErrKeyReused = fault.New(fault.Conflict, "idempotency-key-reused",
		"The Idempotency-Key was used for another body within the last 24 hours.")
	// ErrKeyTaken is the error of an append if another with the key was first.
	ErrKeyTaken = fault.New(fault.Conflict, "idempotency-key-in-use",
		"A call with this Idempotency-Key is just being answered. Make it again to see its answer.")
)

// once acts, and returns the stream that was begun. If the same call was answered
// before, it returns the stream that was begun then. Of several such calls at once only
// one gets through its append; the others return the stream of that one.
func (d Desk) once(ctx context.Context, tenant string, i event.Idempotency,
	act func(context.Context) (uuid.UUID, error),
) (uuid.UUID, error) {
	if i == (event.Idempotency{}) {
		return act(ctx)
	}
	after := d.Now().Add(-AnswerLifetime)
	if made, err := d.answered(ctx, tenant, i, after); err != nil || made != uuid.Nil {
		return made, err
	}
	metadata := event.MetadataFrom(ctx)
	metadata.Idempotency = i
	made, err := act(event.WithMetadata(ctx, metadata))
	if !errors.Is(err, ErrKeyTaken) {
		return made, err
	}
	if made, lost := d.answered(ctx, tenant, i, after); lost != nil || made != uuid.Nil {
		return made, lost
	}
	return uuid.Nil, err
}

// answered returns the stream that the same call began after an instant, and zero if
// there was no such call.
func (d Desk) answered(ctx context.Context, tenant string, i event.Idempotency, after time.Time) (uuid.UUID, error) {
	answer, err := d.Answers.Answer(ctx, tenant, i.Key, after)
	if err != nil {
		return uuid.Nil, err
	}
	if answer.Made != uuid.Nil && answer.Body != i.Body {
		return uuid.Nil, ErrKeyReused
	}
	return answer.Made, nil
}
