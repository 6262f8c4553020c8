package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/access"
	"frontdesk/domain/fault"
)

// The kinds of refusal that only HTTP has.
const (
	internal fault.Kind = -1 - iota
	tooSlow
	wrongMethod
	cutOff
	headersTooLarge
)

// statuses maps kinds of refusal to HTTP statuses.
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
	headersTooLarge:   http.StatusRequestHeaderFieldsTooLarge,
	cutOff:            499, // as proxies log it; the client has disconnected
}

// The refusals of HTTP itself (D19).
var (
	errNotFound = fault.New(fault.Missing, "not-found", "There is nothing at this address.")
	errNoHost   = errNotFound.Worded("No practice is served at this host: practices are {tenantId}.%s.")
	errInternal = fault.New(internal, "internal-error", "Something went wrong on our side. Quote the X-Request-Id when you report it.")
	errTooSlow  = fault.New(tooSlow, "request-timeout", "The body arrives too slowly: send at least 64 KiB every 10 seconds.")
	errTooLong  = errTooSlow.Worded("The body must have arrived within %d minutes.").Filled(bodyTime / time.Minute)
	errCutOff   = fault.New(cutOff, "cut-off", "The connection ended before the call was answered.")
	errMethod   = fault.New(wrongMethod, "method-not-allowed", "Use %s.")
)

// Refusals lists the refusals of HTTP and of this package's own rules. Those of one
// code are adjacent.
func Refusals() fault.List {
	return append(body.Refusals(),
		errNotFound, errNoHost, errMethod, errTooSlow, errTooLong, ErrRateLimited, errTooManyBytes, errInternal,
		errInvalidKey, errUnknownField, errCursor, errLongKey, errNoCheckpoint,
		errMalformed, errMalformedFor, errExpect, errEncoding, errVersion, errHeadersTooLarge,
		errMissingContact, errMissingAppointment, errInvalidAppointment, errMissingSite, errInvalidSite, errInvalidRoom)
}

// Status returns the HTTP status of a kind of refusal.
func Status(kind fault.Kind) int { return statuses[kind] }

// problems is the body of every error (§2.6).
type problems struct {
	Errors []problem `json:"errors"`
}

type problem struct {
	Code        string `json:"code"`
	Description string `json:"description"`
}

// problemsOf builds the error body. Only here is the name of an unknown field added:
// the refusal itself is recorded.
func problemsOf(refusals fault.List, unknown body.Unknown) (p problems) {
	for _, f := range refusals {
		detail := f.Detail
		if f == errUnknownField {
			detail = unknown.Sentence()
		}
		p.Errors = append(p.Errors, problem{f.Code, detail})
	}
	return p
}

// answering serves a call and answers its error. An internal error is logged here,
// once, and answered 500. The reason for unavailability is logged once a second for
// each reason: a flood of calls has the same few reasons.
func (a *API) answering(serve func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := serve(w, r)
		if err == nil {
			return
		}
		refusals := refusalsOf(err)
		ours := len(refusals) == 0 || refusals[0].Kind == fault.Unavailable
		stopping := refusalsOf(context.Cause(r.Context())) // our shutdown's cause for the calls that it cancels
		switch {
		case len(stopping) > 0 && (ours || refusals[0].Kind == tooSlow):
			a.Log.InfoContext(r.Context(), "call was cut off", slog.Any("error", err))
			refusals = stopping
		case ours && r.Context().Err() != nil: // the client has disconnected
			a.Log.InfoContext(r.Context(), "call was cut off", slog.Any("error", err))
			refusals = fault.List{errCutOff}
		case len(refusals) == 0:
			a.Log.ErrorContext(r.Context(), "call failed", slog.Any("error", err))
			refusals = fault.List{errInternal}
		case ours && a.reasons.Spend(refusals[0].Detail, 1) == 0:
			a.Log.WarnContext(r.Context(), "call could not be served", slog.Any("error", err))
		}
		a.refuse(w, r, refusals, ruleOf(err, refusals))
	})
}

// ruleHeader names the rule that refused a call.
const ruleHeader = "Frontdesk-Rule"

// ruled is the error of a rule that shares its code with others.
type ruled interface {
	error
	RefusedBy() access.Rule
}

// ruleOf returns the rule that refused: the one in the error if it made the answer, else the code of
// the answer. So the rule follows from the answer's sentence, and tells nothing more (D146).
func ruleOf(err error, answer fault.List) access.Rule {
	if r, ok := errors.AsType[ruled](err); ok && errors.Is(r, answer[0]) {
		return r.RefusedBy()
	}
	return access.Rule(answer[0].Code)
}

// refusalsOf returns the refusals in an error that the caller may see; empty if there
// are none.
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

// refuse answers with refusals, which are all of one kind. If there is no permit for a
// long list, it answers with the refusal for that instead.
func (a *API) refuse(w http.ResponseWriter, r *http.Request, refusals fault.List, rule access.Rule) {
	first := refusals[0]
	callOf(r.Context()).line.refusals = refusals
	status, wait := statuses[first.Kind], a.untilRetry(first)
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
	w.Header().Set(ruleHeader, string(rule))
	text, _ := encoded(problemsOf(refusals, callOf(r.Context()).unknown), nil) // strings can always be encoded
	if noPermit := a.answer(w, r, status, text); noPermit != nil {
		instead := refusalsOf(noPermit)
		a.refuse(w, r, instead, ruleOf(noPermit, instead))
	}
}

// untilRetry returns the seconds until a retry; 0 if a retry is pointless. It rounds
// up, so that the retry is not too early.
func (a *API) untilRetry(f *fault.Error) int {
	switch {
	case !f.RetryAt.IsZero():
		return int(max(time.Second, f.RetryAt.Sub(a.Now())+time.Second-1) / time.Second)
	case f.Kind == fault.Unavailable || f.Kind == fault.RateLimited:
		return 1
	}
	return 0
}

// Instant is a time in an answer that the contract does not show: in UTC, with three digits of
// a second.
type Instant time.Time

// MarshalText writes RFC 3339.
func (i Instant) MarshalText() ([]byte, error) {
	return time.Time(i).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z07:00"), nil
}

func instantOrNull(at *time.Time) *Instant {
	if at == nil {
		return nil
	}
	return new(Instant(*at))
}

// encoded returns an answer as JSON, unless there was an error.
func encoded(answer any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // the answer is not read as HTML, and would be much longer
	if err := encoder.Encode(answer); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return text.Bytes(), nil
}

// longAnswer is the length from which an answer needs a permit.
const longAnswer = 64 << 10

// answer writes an answer with its length, so that a client need not wait for work
// after the answer. An error means that nothing was written, because there was no
// permit for a long answer.
func (a *API) answer(w http.ResponseWriter, r *http.Request, status int, text []byte) error {
	if len(text) > longAnswer {
		if err := body.Take(callOf(r.Context()).long); err != nil {
			return err
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.Header().Set("Content-Type", "application/json")
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	a.addHeaders(w.Header(), r, status)
	w.WriteHeader(status)
	_, _ = w.Write(text) // an error means that the client has disconnected
	return nil
}

// notAllowed refuses a method and lists those of the endpoint.
func notAllowed(w http.ResponseWriter, by methods) error {
	methods := slices.Sorted(maps.Keys(by))
	w.Header().Set("Allow", strings.Join(methods, ", "))
	return errMethod.Filled(strings.Join(methods, " or "))
}
