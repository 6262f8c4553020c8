package commands

import (
	"context"
	"fmt"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// AnswerLifetime is how long an answer is remembered (D22).
const AnswerLifetime = 24 * time.Hour

// longestAnswer is the most bytes of an answer that is remembered. Those of the API's
// changes have a hundred.
const longestAnswer = 64 << 10

// Answers knows what calls with an Idempotency-Key were answered.
type Answers interface {
	// Answer returns the answer that a tenant's call with the key was given after
	// an instant, and the zero Answer if there was none.
	Answer(ctx context.Context, tenant string, key event.Digest, after time.Time) (Answer, error)
}

// Answer is what a call was answered.
type Answer struct {
	Text string // JSON, byte for byte
	Body string // SHA-256 of the call's body, in hexadecimal
}

// Refusals of a call that is made again.
var (
	ErrKeyReused = fault.New(fault.Conflict, "idempotency-key-reused",
		"The Idempotency-Key was used for another body within the last 24 hours.")
	// ErrKeyTaken is the error of an append if another with the key was first.
	ErrKeyTaken = fault.New(fault.Conflict, "idempotency-key-in-use",
		"A call with this Idempotency-Key is just being answered. Make it again to see its answer.")
)

// Once carries out an intent and returns its answer, which says nothing personal. If the
// same call was answered before, it returns that answer instead, and again is true; if the
// key was used for another body, the error is [ErrKeyReused]. The zero Idempotency is that
// of a call which counts each time.
//
// Act is handed a desk whose changes are collected. They are appended together with the
// answer once act has returned it, so one is never there without the other. Of several
// such calls at once only one gets through its append; the others return its answer, also
// if act refuses them because of what the first has changed. If act changes nothing,
// nothing is remembered: doing it again is harmless. After a conflict act runs again, so it
// must do nothing but read and decide.
func Once(ctx context.Context, d Desk, i event.Idempotency, act func(context.Context, Desk) ([]byte, error)) (answer []byte, again bool, err error) {
	err = retry(ctx, func() (err error) {
		if answer, err = d.answered(ctx, i); err != nil || answer != nil {
			again = err == nil
			return err
		}
		answer, err = d.carryOut(ctx, i, act)
		return err
	})
	if err == nil || i == (event.Idempotency{}) {
		return answer, again, err
	}
	if answer, lost := d.answered(ctx, i); lost != nil || answer != nil {
		return answer, lost == nil, lost
	}
	return nil, false, err
}

// carryOut has an intent decided and answered, and appends what it changes.
func (d Desk) carryOut(ctx context.Context, i event.Idempotency, act func(context.Context, Desk) ([]byte, error)) ([]byte, error) {
	store, rehearsal := d.Store, &Rehearsal{Store: d.Store}
	d.Store = rehearsal
	answer, err := act(ctx, d)
	if err != nil || len(rehearsal.Changes) == 0 {
		return answer, err
	}
	if i != (event.Idempotency{}) {
		if len(answer) > longestAnswer {
			return nil, fmt.Errorf("an answer of %d bytes is too long to be remembered", len(answer))
		}
		i.Answer = string(answer)
		metadata := event.MetadataFrom(ctx)
		metadata.Idempotency = i
		ctx = event.WithMetadata(ctx, metadata)
	}
	if _, err := store.Append(ctx, rehearsal.Changes...); err != nil {
		return nil, err
	}
	return answer, nil
}

// Together carries out several intents as one append: all that they change is stored, or
// nothing. It returns what has happened. Each of them sees what those before it change,
// but in the read models. After a conflict act runs again.
func Together(ctx context.Context, d Desk, act func(context.Context, Desk) error) (happened []event.Event, err error) {
	err = retry(ctx, func() error {
		rehearsal, rehearsing := &Rehearsal{Store: d.Store}, d
		rehearsing.Store = rehearsal
		if err := act(ctx, rehearsing); err != nil {
			return err
		}
		happened = rehearsal.Events()
		if len(happened) == 0 {
			return nil
		}
		_, err := d.Store.Append(ctx, rehearsal.Changes...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return happened, nil
}

// answered returns what the same call was answered, and nil if there was no such call.
func (d Desk) answered(ctx context.Context, i event.Idempotency) ([]byte, error) {
	if i == (event.Idempotency{}) {
		return nil, nil
	}
	answer, err := d.Answers.Answer(ctx, i.Tenant, i.Key, d.Now().Add(-AnswerLifetime))
	if err != nil || answer == (Answer{}) {
		return nil, err
	}
	if answer.Body != i.Body {
		return nil, ErrKeyReused
	}
	return []byte(answer.Text), nil
}
