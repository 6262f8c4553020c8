package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Problem is one thing that the service finds wrong.
type Problem struct {
	Code        Code   `json:"code"`
	Description string `json:"description"` // for people: what to mend, and where
}

// A ServiceError is an answer other than success.
type ServiceError struct {
	Endpoint       string
	Status         int           // of HTTP
	Problems       []Problem     // of a body all at once; empty if the answer is not the service's
	RequestID      string        // to quote when you report it
	RetryAfter     time.Duration // how long to wait before the same call may be accepted; 0 if that is not known
	IdempotencyKey string        // that the call carried; empty for a GET
	Err            error         // why the body is not the service's JSON; nil if it is
}

// Code is that of the first problem; [Unrecognised] if there is none, or this package does
// not know it.
func (e *ServiceError) Code() Code {
	if len(e.Problems) == 0 || !known[e.Problems[0].Code] {
		return Unrecognised
	}
	return e.Problems[0].Code
}

// Has says whether the code is that of any problem.
func (e *ServiceError) Has(code Code) bool {
	for _, problem := range e.Problems {
		if problem.Code == code {
			return true
		}
	}
	return false
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

// An UnreachableError says that no answer came. What was called may have happened, or not: call
// again with [IdempotencyKey], and it happens once.
type UnreachableError struct {
	Endpoint       string
	IdempotencyKey string // that the call carried; empty for a GET
	Err            error
}

func (e *UnreachableError) Error() string { return fmt.Sprintf("%s: no answer: %v", e.Endpoint, e.Err) }

// Unwrap is what happened to the connection.
func (e *UnreachableError) Unwrap() error { return e.Err }

func (c *call) unreachable(err error) *UnreachableError {
	return &UnreachableError{Endpoint: c.endpoint, IdempotencyKey: c.key, Err: err}
}

// refused reads an answer other than success. One that is not of the service's form
// (a proxy's, say) has no problems.
func (c *call) refused(response *http.Response, text []byte) *ServiceError {
	var form struct {
		Errors []Problem `json:"errors"`
	}
	err := json.Unmarshal(text, &form)
	refusal := &ServiceError{
		Endpoint: c.endpoint, Status: response.StatusCode, Problems: form.Errors,
		RequestID: response.Header.Get("X-Request-Id"), IdempotencyKey: c.key, Err: err,
	}
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31); err == nil {
		refusal.RetryAfter = time.Duration(seconds) * time.Second
	}
	return refusal
}
