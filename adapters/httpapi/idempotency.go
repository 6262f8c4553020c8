package httpapi

import (
	"net/http"

	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

const longestKey = 255 // bytes (D22)

var errInvalidKey = fault.New(fault.Invalid, "invalid-idempotency-key", "Idempotency-Key is given once, with 1 to 255 bytes.")

// idempotencyOf is by what the call is recognised when it is made again; zero
// without an Idempotency-Key (D22).
func idempotencyOf(r *http.Request, caller access.Caller, body event.Digest) (event.Idempotency, error) {
	keys := r.Header.Values("Idempotency-Key")
	if keys == nil {
		return event.Idempotency{}, nil
	}
	if len(keys) > 1 || keys[0] == "" || len(keys[0]) > longestKey {
		return event.Idempotency{}, errInvalidKey
	}
	return caller.Idempotency(keys[0], body), nil
}
