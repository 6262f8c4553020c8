package commands

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// AnswerLifetime is how long an answer is remembered (D22).
const AnswerLifetime = 24 * time.Hour

// Answers remembers what calls with an Idempotency-Key were answered.
type Answers interface {
	// Answer is the one given to the call with the key, within the tenant and
	// after an instant; the zero Answer if there was none.
	Answer(ctx context.Context, tenant string, key event.Digest, after time.Time) (Answer, error)
}

// Answer is what a call was answered.
type Answer struct {
	Made uuid.UUID    // the stream of what it made
	Body event.Digest // of its body
}

// Refusals of a call that is made again.
var (
	ErrKeyReused = fault.New(fault.Conflict, "idempotency-key-reused",
		"The Idempotency-Key was used for another body within the last 24 hours.")
	// ErrKeyTaken is what an append says when another was first.
	ErrKeyTaken = fault.New(fault.Conflict, "idempotency-key-in-use",
		"A call with this Idempotency-Key is just being answered. Make it again to see its answer.")
)

// Idempotency is by what the caller's call is recognised when it is made
// again: (application, mode, user, key) beside the tenant (D22), and the body.
func (c Caller) Idempotency(key string, body event.Digest) event.Idempotency {
	who := c.Application.String() + " " + string(c.Mode) + " " + c.Staff.String() + " "
	return event.Idempotency{Key: sha256.Sum256([]byte(who + key)), Body: body}
}

// once acts, and returns the stream of what was made, unless the same call was
// answered before: then it returns what that one made. Of several such calls
// at once only one gets through its append; the others return what it made.
func once(ctx context.Context, answers Answers, tenant string, i event.Idempotency, now time.Time,
	act func(context.Context) (uuid.UUID, error),
) (uuid.UUID, error) {
	if i == (event.Idempotency{}) {
		return act(ctx)
	}
	remembered := func() (uuid.UUID, error) { return answered(ctx, answers, tenant, i, now) }
	if made, err := remembered(); err != nil || made != uuid.Nil {
		return made, err
	}
	metadata := event.MetadataFrom(ctx)
	metadata.Idempotency = i
	made, err := act(event.WithMetadata(ctx, metadata))
	if !errors.Is(err, ErrKeyTaken) {
		return made, err
	}
	if made, lost := remembered(); lost != nil || made != uuid.Nil {
		return made, lost
	}
	return uuid.Nil, err
}

// answered is what the same call made before; zero if there was none.
func answered(ctx context.Context, answers Answers, tenant string, i event.Idempotency, now time.Time) (uuid.UUID, error) {
	answer, err := answers.Answer(ctx, tenant, i.Key, now.Add(-AnswerLifetime))
	if err == nil && answer.Made != uuid.Nil && answer.Body != i.Body {
		err = ErrKeyReused
	}
	return answer.Made, err
}
