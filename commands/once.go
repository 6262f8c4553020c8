package commands

import (
	"context"
	"fmt"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// ResponseLifetime is how long an answer is stored (D22).
const ResponseLifetime = 24 * time.Hour

// maxResponse is the maximum of bytes of a stored answer. Those of the API's changes
// have a hundred.
const maxResponse = 64 << 10

// IdempotentResponses finds the answers to calls with an Idempotency-Key.
type IdempotentResponses interface {
	// Response returns the answer to a tenant's call with the key after an instant, or
	// the zero Response.
	Response(ctx context.Context, tenant string, key event.Digest, after time.Time) (Response, error)
}

// Response is the answer to a call.
type Response struct {
	Text string // JSON, byte for byte
	Body string // SHA-256 of the call's body, in hexadecimal
}

// Refusals of a repeated call.
var (
	ErrKeyReused = fault.New(fault.Conflict, "idempotency-key-reused",
		"The Idempotency-Key was used for another body within the last 24 hours.")
	// ErrKeyTaken is the error of an append if another with the key was first.
	ErrKeyTaken = fault.New(fault.Conflict, "idempotency-key-in-use",
		"A call with this Idempotency-Key is just being answered. Make it again to see its answer.")
)

// Once carries out an intent and returns its answer, which contains no personal data.
// If the same call was answered before, it returns that answer instead, and again is
// true; if the key was used for another body, the error is [ErrKeyReused]. With the
// zero Idempotency, each call takes effect.
//
// Act receives a desk that collects changes. They are appended together with the answer
// once act has returned it, so one is never stored without the other. Of several such
// concurrent calls, only one gets through its append; the others return its answer,
// also if act refuses them because of the first one's changes. If act changes nothing,
// no answer is stored: a repetition is harmless. After a conflict act runs again, so it
// must only read and decide.
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

// carryOut decides and answers an intent, and appends its changes.
func (d Desk) carryOut(ctx context.Context, i event.Idempotency, act func(context.Context, Desk) ([]byte, error)) ([]byte, error) {
	store, rehearsal := d.Store, &Rehearsal{Store: d.Store}
	d.Store = rehearsal
	answer, err := act(ctx, d)
	if err != nil || len(rehearsal.Changes) == 0 {
		return answer, err
	}
	if i != (event.Idempotency{}) {
		if len(answer) > maxResponse {
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

// Together carries out several intents as one append: it stores all their changes, or
// nothing. It returns the events. Each intent sees the changes of those before it,
// except in the read models. After a conflict act runs again.
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

// answered returns the answer to the same call, or nil if it was not made before.
func (d Desk) answered(ctx context.Context, i event.Idempotency) ([]byte, error) {
	if i == (event.Idempotency{}) {
		return nil, nil
	}
	earlier, err := d.Responses.Response(ctx, i.Tenant, i.Key, d.Now().Add(-ResponseLifetime))
	if err != nil || earlier == (Response{}) {
		return nil, err
	}
	if earlier.Body != i.Body {
		return nil, ErrKeyReused
	}
	return []byte(earlier.Text), nil
}
