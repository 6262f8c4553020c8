package httpapi

import (
	"context"
	"io"
	"net/http"
	"time"

	"frontdesk/domain/fault"
)

// Bounds of a body that is thrown away after an early refusal (D1).
const (
	drainBytes = 100 << 20
	drainTime  = 5 * time.Second
)

// limited bounds the calls in flight, and the time of each.
func (a *API) limited(next http.Handler) http.Handler {
	slots := make(chan struct{}, a.InFlight)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			refuse(w, fault.List{errBusy})
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), a.Limit)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// drain sends an early answer on its way and throws the rest of the body away,
// so that a simple client, which sends all of it before it reads, sees the
// answer and not a broken pipe (D1).
func drain(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	control := http.NewResponseController(w)
	// Errors here only mean that the client is gone, or speaks no HTTP/1.
	_ = control.EnableFullDuplex()
	_ = control.Flush()
	_ = control.SetReadDeadline(time.Now().Add(drainTime))
	_, _ = io.CopyN(io.Discard, r.Body, drainBytes)
}
