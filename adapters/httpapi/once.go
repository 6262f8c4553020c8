package httpapi

import (
	"context"
	"net/http"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// once makes the answer to a change. The answerer uses the caller's desk: its changes
// are stored with the answer. If the call is repeated under the same Idempotency-Key,
// nothing changes and it gets the same answer (D22, D93).
func (a *API) once(answer answerer) maker {
	return func(r *http.Request, caller judged, form *body.Form) ([]byte, error) {
		text, again, err := commands.Once(r.Context(), a.Desk, caller.call, func(ctx context.Context, desk commands.Desk) ([]byte, error) {
			caller.desk = desk
			return encoded(answer(r.WithContext(ctx), caller, form))
		})
		callOf(r.Context()).again = again
		return text, err
	}
}

// idempotencyOf returns the key to recognise a repeat of the call; zero if it has no
// Idempotency-Key.
func idempotencyOf(r *http.Request, caller access.Caller, body event.Digest) (event.Idempotency, error) {
	if r.Header.Values(keyHeader) == nil {
		return event.Idempotency{}, nil
	}
	key := keyOf(r)
	if key == "" {
		return event.Idempotency{}, errInvalidKey
	}
	return caller.Idempotency(key, body), nil
}

// keyOf returns a call's Idempotency-Key; "" if it has none, or an invalid one.
func keyOf(r *http.Request) string {
	keys := r.Header.Values(keyHeader)
	if len(keys) != 1 || len(keys[0]) > longestKey {
		return ""
	}
	return keys[0]
}

// The headers of a call that may be repeated, and of a repeated answer.
const (
	keyHeader   = body.KeyHeader
	againHeader = "Idempotent-Replayed"
)

const longestKey = 255 // bytes

var errInvalidKey = fault.New(fault.Invalid, "invalid-idempotency-key", "Idempotency-Key must be given once, with 1 to 255 bytes.")
