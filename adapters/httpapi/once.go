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

// once makes an answer that changes something. Its answerer acts at the caller's desk:
// what it changes is stored with the answer, and the same call sent again under the same
// Idempotency-Key changes nothing more and is answered the same (D22, D93).
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

// idempotencyOf returns what recognises the call if it is made again; zero if it
// has no Idempotency-Key.
func idempotencyOf(r *http.Request, caller access.Caller, body event.Digest) (event.Idempotency, error) {
	keys := r.Header.Values(keyHeader)
	if keys == nil {
		return event.Idempotency{}, nil
	}
	if len(keys) > 1 || keys[0] == "" || len(keys[0]) > longestKey {
		return event.Idempotency{}, errInvalidKey
	}
	return caller.Idempotency(keys[0], body), nil
}

// The headers of a call that may be sent again, and of an answer that is given again.
const (
	keyHeader   = body.KeyHeader
	againHeader = "Idempotent-Replayed"
)

const longestKey = 255 // bytes

var errInvalidKey = fault.New(fault.Invalid, "invalid-idempotency-key", "Idempotency-Key must be given once, with 1 to 255 bytes.")
