package commands

import (
	"cmp"
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

// Receptions answers when practices take requests.
type Receptions interface {
	// Receptions returns when a practice takes requests. They have no zone if there is no
	// such practice.
	Receptions(ctx context.Context, tenant string) (practice.Receptions, error)
}

// SubmitPatientRequest hands a patient's request to the practice.
type SubmitPatientRequest struct {
	Tenant      string
	Submission  request.Submission
	Receptions  practice.Receptions // by which it is judged; without a zone, the practice's are asked for
	Idempotency event.Idempotency   // zero if a repeated call is another request
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

// submit appends the request if the practice takes it now. The append refuses a patient
// whom the practice does not have. So it need not be asked for the patient first, unless
// there is something else to refuse.
func (d Desk) submit(ctx context.Context, c SubmitPatientRequest) (uuid.UUID, error) {
	receptions, err := d.receptions(ctx, c)
	if err != nil {
		return uuid.Nil, err
	}
	if refusal := receptions.Of(c.Submission.Type).At(d.Now()).Err(); refusal != nil {
		return uuid.Nil, cmp.Or(d.knowPatient(ctx, c.Tenant, c.Submission.Patient), refusal)
	}
	id := request.ID{UUID: event.NewID()}
	return id.UUID, d.beginOfPatient(ctx, request.StreamOf(c.Tenant, id), request.Submit(c.Submission)...)
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

// MarkPatientRequestEnteredInError says that a patient request must not be relied on.
type MarkPatientRequestEnteredInError struct {
	Tenant  string
	Patient patient.ID // for whom the request was made
	Request request.ID
	Reason  string // in clear text, so it names nobody
}

// MarkPatientRequestEnteredInError changes nothing if the request is marked already. It
// refuses a request of another patient or practice with request.ErrUnknown.
func (d Desk) MarkPatientRequestEnteredInError(ctx context.Context, c MarkPatientRequestEnteredInError) error {
	return Update(ctx, d.Store, request.StreamOf(c.Tenant, c.Request), func(r request.Request) ([]event.Event, error) {
		return r.MarkEnteredInError(c.Patient, c.Reason)
	})
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
