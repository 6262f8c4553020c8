package witness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"time"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpx"
	"frontdesk/domain/fault"
)

// The limits of a request. C2SP's largest has 63 hashes, and a checkpoint with sixteen
// signatures of some 5 kB each.
const (
	requestBytes = 128 << 10
	requestTime  = 10 * time.Second
	requests     = 128 // concurrent, of which each source has a share
)

var (
	errTooLarge = fault.New(fault.TooLarge, "too-large", "A request has 128 KiB at most.")
	errCrowded  = fault.New(fault.Unavailable, "crowded", "Too many requests at once: send it again in a moment.")
	errLate     = fault.New(fault.Invalid, "too-slow", "The request did not come within ten seconds.")
	errNone     = fault.New(fault.Missing, "no-checkpoint", "This witness has cosigned no checkpoint of this log.")
)

// Handler serves c2sp.org/tlog-witness to logs and their monitors. Requests may come
// through proxies in these networks.
func (w *Witness) Handler(proxies []netip.Prefix) http.Handler {
	h := handler{w, admission.NewFairSemaphore(requests), proxies}
	mux := http.NewServeMux()
	mux.Handle("POST /add-checkpoint", h.limited(h.add))
	mux.Handle("POST /continue-epoch", h.limited(h.next))
	mux.Handle("GET /{log}/epochs", h.limited(h.epochs))
	mux.Handle("GET /{log}/checkpoint", h.limited(h.checkpoint))
	return httpx.WriteDeadline(mux)
}

type handler struct {
	*Witness
	permits *admission.FairSemaphore
	proxies []netip.Prefix
}

// limited answers with the result of next, to a limited number of requests at once.
func (h handler) limited(next func(http.ResponseWriter, *http.Request) ([]byte, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The deadline also covers a body that is not read. Only a test's connection
		// has no deadlines.
		_ = http.NewResponseController(w).SetReadDeadline(clock.Deadline(requestTime))
		permit := h.permits.Permit(httpx.ClientAddress(r, h.proxies))
		if !permit.Take() {
			h.refuse(r.Context(), w, errCrowded)
			return
		}
		defer permit.Release()
		text, err := next(w, r)
		if err != nil {
			h.refuse(r.Context(), w, err)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write(text)
	})
}

// add answers a log's request for a cosignature.
func (h handler) add(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return answer(w, r, h.Cosign)
}

// next answers a log's request for its first cosignature in an epoch.
func (h handler) next(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return answer(w, r, h.Continue)
}

func answer(w http.ResponseWriter, r *http.Request, cosign func(context.Context, []byte) ([]byte, error)) ([]byte, error) {
	request, err := io.ReadAll(http.MaxBytesReader(w, r.Body, requestBytes))
	switch _, large := errors.AsType[*http.MaxBytesError](err); {
	case large:
		return nil, errTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errLate
	case err != nil:
		return nil, errMalformed
	}
	return cosign(r.Context(), request)
}

// checkpoint answers a monitor with the last cosigned checkpoint.
func (h handler) checkpoint(_ http.ResponseWriter, r *http.Request) ([]byte, error) {
	name := r.PathValue("log")
	if !isFile.MatchString(name) {
		return nil, errNone
	}
	_, cosigned, err := h.last(name)
	if err != nil {
		return nil, err
	}
	if cosigned == nil {
		return nil, errNone
	}
	return cosigned, nil
}

// epochs answers a monitor with the epochs of a log, signed by the witness.
func (h handler) epochs(_ http.ResponseWriter, r *http.Request) ([]byte, error) {
	name := r.PathValue("log")
	if !isFile.MatchString(name) {
		return nil, errNone
	}
	signed, err := h.State.Read(name + epochsFile)
	if err == nil && signed == nil {
		err = errNone
	}
	return signed, err
}

// statuses are those of c2sp.org/tlog-witness, and HTTP's for the rest.
var statuses = map[fault.Kind]int{
	fault.Invalid:     http.StatusBadRequest,
	fault.Forbidden:   http.StatusForbidden,
	fault.Missing:     http.StatusNotFound,
	fault.Refused:     http.StatusUnprocessableEntity,
	fault.TooLarge:    http.StatusRequestEntityTooLarge,
	fault.Unavailable: http.StatusServiceUnavailable,
}

// refuse answers with the reason for the refusal.
func (h handler) refuse(ctx context.Context, w http.ResponseWriter, err error) {
	if size, ok := errors.AsType[otherSize](err); ok {
		w.Header().Set("Content-Type", "text/x.tlog.size")
		w.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprintf(w, "%d\n", int64(size))
		return
	}
	if other, ok := errors.AsType[otherEpoch](err); ok {
		w.Header().Set("Content-Type", "text/x.frontdesk.epoch")
		w.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprintf(w, "%d %d\n", other.epoch, other.size)
		return
	}
	if refusal, ok := errors.AsType[*fault.Error](err); ok {
		http.Error(w, refusal.Detail, statuses[refusal.Kind])
		return
	}
	h.Log.ErrorContext(ctx, "cannot cosign checkpoints of this log", slog.Any("error", err))
	http.Error(w, "The witness cannot read or write its state.", http.StatusInternalServerError)
}
