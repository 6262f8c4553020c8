package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Problem is one mistake in a call.
type Problem struct {
	Code        Code   `json:"code"`
	Description string `json:"description"` // for people: how to fix it, and where
}

// A ServiceError is an answer other than success.
type ServiceError struct {
	Endpoint       string
	Status         int           // of HTTP
	Problems       []Problem     // all mistakes in a body; empty if the answer is not from the service
	Rule           string        // that refused, where many share the code, such as user-authorised; empty if the answer is not from the service
	RequestID      string        // to quote when you report it
	RetryAfter     time.Duration // how long to wait before the same call may be accepted; 0 if unknown
	IdempotencyKey string        // of the call; empty for a GET
	Err            error         // why the body is not the service's JSON; nil if it is
}

// Code is that of the first problem; [Unrecognised] without a problem, or for a code that is
// unknown to this package.
func (e *ServiceError) Code() Code {
	if len(e.Problems) == 0 || !known[e.Problems[0].Code] {
		return Unrecognised
	}
	return e.Problems[0].Code
}

// Has reports whether any problem has the code.
func (e *ServiceError) Has(code Code) bool {
	for _, problem := range e.Problems {
		if problem.Code == code {
			return true
		}
	}
	return false
}

// NeedsAuthorisation reports whether the user must go through the authorise page again (§5.4).
func (e *ServiceError) NeedsAuthorisation() bool {
	return e.Rule == "user-authorised" || e.Rule == "patient-in-scope"
}

func (e *ServiceError) Error() string {
	texts := make([]string, 0, len(e.Problems))
	for _, problem := range e.Problems {
		texts = append(texts, string(problem.Code)+": "+problem.Description)
	}
	if len(texts) == 0 {
		texts = append(texts, http.StatusText(e.Status))
	}
	return fmt.Sprintf("%s: %d %s (request %s)", e.Endpoint, e.Status, strings.Join(texts, "; "), e.RequestID)
}

// Unwrap returns why the body is not the service's JSON.
func (e *ServiceError) Unwrap() error { return e.Err }

// An UnreachableError means that no answer came, or a success without the service's JSON. The call may
// have taken effect, or not: repeat it with [IdempotencyKey], and it takes effect once.
type UnreachableError struct {
	Endpoint       string
	IdempotencyKey string // of the call; empty for a GET
	Err            error
}

func (e *UnreachableError) Error() string { return fmt.Sprintf("%s: no answer: %v", e.Endpoint, e.Err) }

// Unwrap is the error of the connection, or [context.DeadlineExceeded] when the time is over.
func (e *UnreachableError) Unwrap() error { return e.Err }

func (c *call) unreachable(err error) *UnreachableError {
	return &UnreachableError{Endpoint: c.endpoint, IdempotencyKey: c.key, Err: err}
}

// refused parses an answer other than success. One that is not in the service's form, such as a
// proxy's, has no problems.
func (c *call) refused(response *http.Response, text []byte) *ServiceError {
	var form struct {
		Errors []Problem `json:"errors"`
	}
	err := json.Unmarshal(text, &form)
	refusal := &ServiceError{
		Endpoint: c.endpoint, Status: response.StatusCode, Problems: form.Errors, Rule: response.Header.Get("Frontdesk-Rule"),
		RequestID: response.Header.Get("X-Request-Id"), IdempotencyKey: c.key, Err: err,
	}
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31); err == nil {
		refusal.RetryAfter = time.Duration(seconds) * time.Second
	}
	return refusal
}
