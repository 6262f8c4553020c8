package httpapi

import (
	"context"
	"net/http"
	"regexp"

	"frontdesk/domain/event"
)

// identity is the ids of one call: ours and, if it sent a sound one, the
// caller's (D19).
type identity struct{ request, correlation string }

type identityKey struct{}

var correlationForm = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// identified gives every call an id of our own, in its context and in its
// answer (D19).
func (a *API) identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := identity{request: event.NewID().String()}
		if theirs := r.Header.Get("X-Request-Id"); correlationForm.MatchString(theirs) {
			id.correlation = theirs
		}
		w.Header().Set("X-Request-Id", id.request)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, id)))
	})
}

func identityOf(ctx context.Context) identity {
	id, _ := ctx.Value(identityKey{}).(identity)
	return id
}

// RequestID is the id of the call that ctx belongs to; "" outside a call. Log
// records carry it.
func RequestID(ctx context.Context) string { return identityOf(ctx).request }
