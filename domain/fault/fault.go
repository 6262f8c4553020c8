package fault

import (
	"fmt"
	"strings"
	"time"
)

// Kind says what sort of refusal an [Error] is. Adapters map kinds to
// statuses; rules choose them.
type Kind int

// The kinds of refusal.
const (
	Invalid     Kind = iota + 1 // the input is malformed or breaks a structural rule (§7.1)
	Refused                     // the input is sound, and a rule of the practice says no (§7.1)
	Forbidden                   // the caller may not do this (§7.2)
	Missing                     // what the caller named does not exist
	Conflict                    // it clashes with what is already there
	Unsupported                 // a media type this service does not read (D19)
	TooLarge                    // more than this service accepts (D19)
	RateLimited                 // too many calls of one application (D19)
	Unavailable                 // the service cannot answer now; try again (D19)
)

// Error is one refusal: safe to show, complete enough to act on. It never
// holds personal data or token text.
type Error struct {
	Kind    Kind
	Code    string    // kebab case, as in §7
	Detail  string    // one sentence that says what to mend
	RetryAt time.Time // from when on the same input may be accepted; zero if nobody knows
}

// New makes a refusal.
func New(kind Kind, code, detail string) *Error {
	return &Error{Kind: kind, Code: code, Detail: detail}
}

// Error implements error.
func (e *Error) Error() string { return e.Code + ": " + e.Detail }

// Is reports whether target is the same refusal, whatever its detail, so that
// errors.Is works with the variables that rules declare.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Kind == e.Kind && other.Code == e.Code
}

// With returns the refusal with a detail that names the place or the value.
func (e *Error) With(format string, args ...any) *Error {
	with := *e
	with.Detail = fmt.Sprintf(format, args...)
	return &with
}

// Until returns the refusal with the instant from which on a retry may be
// accepted.
func (e *Error) Until(t time.Time) *Error {
	until := *e
	until.RetryAt = t
	return &until
}

// List is several refusals of one input, in the order in which they are to be
// reported (D2). An empty list is no error: return it through [List.Err].
type List []*Error

// Error implements error.
func (l List) Error() string {
	texts := make([]string, len(l))
	for i, e := range l {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap lets errors.Is and errors.As look at each refusal.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Err is nil when nothing is refused.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}
