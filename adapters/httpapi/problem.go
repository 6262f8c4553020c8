package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/fault"
)

// The kinds of refusal that only HTTP knows.
const (
	internal fault.Kind = -1 - iota
	tooSlow
	wrongMethod
	cutOff
)

// statuses is the one table from kinds of refusal to HTTP statuses.
var statuses = map[fault.Kind]int{
	fault.Invalid:     http.StatusBadRequest,
	fault.Refused:     http.StatusBadRequest,
	fault.Missing:     http.StatusNotFound,
	fault.Forbidden:   http.StatusForbidden,
	fault.Conflict:    http.StatusConflict,
	fault.Unsupported: http.StatusUnsupportedMediaType,
	fault.TooLarge:    http.StatusRequestEntityTooLarge,
	fault.RateLimited: http.StatusTooManyRequests,
	fault.Unavailable: http.StatusServiceUnavailable,
	internal:          http.StatusInternalServerError,
	tooSlow:           http.StatusRequestTimeout,
	wrongMethod:       http.StatusMethodNotAllowed,
	cutOff:            499, // as proxies write it in their logs; nobody is there to be answered
}

// The refusals of HTTP itself (D19).
var (
	errNotFound    = fault.New(fault.Missing, "not-found", "There is nothing at this address.")
	errInternal    = fault.New(internal, "internal-error", "Something went wrong on our side. Quote the X-Request-Id when you report it.")
	errTooSlow     = fault.New(tooSlow, "request-timeout", "The body arrives too slowly: send at least 64 KiB every 10 seconds.")
	errCutOff      = fault.New(cutOff, "cut-off", "The connection ended before the call was answered.")
	errMethod      = fault.New(wrongMethod, "method-not-allowed", "Use another method.")
	retryAfterSecs = "1"
)

// problems is the body of every error (§2.6).
type problems struct {
	Errors []problem `json:"errors"`
}

type problem struct {
	Code        string `json:"code"`
	Description string `json:"description"`
}

// answering serves a call and answers its error. An error that callers must not
// see is logged here, once, and answered 500.
func (a *API) answering(serve func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := serve(w, r)
		if err == nil {
			return
		}
		refusals := refusalsOf(err)
		ours := len(refusals) == 0 || refusals[0].Kind == fault.Unavailable
		switch {
		case ours && callOf(r.Context()).connection.Err() != nil: // the caller has gone, or our shutdown has cut the call off
			a.Log.InfoContext(r.Context(), "call was cut off", slog.Any("error", err))
			refusals = fault.List{errCutOff}
		case len(refusals) == 0:
			a.Log.ErrorContext(r.Context(), "call failed", slog.Any("error", err))
			refusals = fault.List{errInternal}
		case ours:
			a.Log.WarnContext(r.Context(), "call could not be served", slog.Any("error", err))
		}
		callOf(r.Context()).line.refusal = *refusals[0]
		a.retryAt(w, refusals[0].RetryAt)
		refuse(w, refusals)
	})
}

// refusalsOf returns what a caller may be told of an error. It is empty if that is
// nothing.
func refusalsOf(err error) fault.List {
	if list, ok := errors.AsType[fault.List](err); ok {
		return list
	}
	if one, ok := errors.AsType[*fault.Error](err); ok {
		return fault.List{one}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.List{body.ErrBusy}
	}
	return nil
}

// refuse answers with refusals, which are all of one kind.
func refuse(w http.ResponseWriter, refusals fault.List) {
	body := problems{}
	for _, f := range refusals {
		body.Errors = append(body.Errors, problem{f.Code, f.Detail})
	}
	status := statuses[refusals[0].Kind]
	retry := status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests
	if retry && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", retryAfterSecs)
	}
	answer(w, status, body)
}

// retryAt tells a caller how many seconds to wait. The number is rounded up, so
// that a retry at that moment is not too early.
func (a *API) retryAt(w http.ResponseWriter, at time.Time) {
	if at.IsZero() {
		return
	}
	wait := max(time.Second, at.Sub(a.Now())+time.Second-1)
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
}

// answer writes a JSON body with its length, so that a client need not wait for
// what is still done for the call after the answer.
func answer(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // all bodies are types of this package
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text)+1))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // an error means that the client has gone
}

// notAllowed refuses a method and names those that the endpoint takes.
func notAllowed(w http.ResponseWriter, by methods) error {
	methods := slices.Sorted(maps.Keys(by))
	w.Header().Set("Allow", strings.Join(methods, ", "))
	return errMethod.With("Use %s.", strings.Join(methods, " or "))
}
