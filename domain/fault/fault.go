package fault

import (
	"fmt"
	"strings"
	"time"
)

// Kind is the kind of a refusal. Rules choose it, and adapters map it to a status or an
// exit code.
type Kind int

// The kinds of refusal.
const (
	Invalid     Kind = iota + 1 // the input is malformed or breaks a structural rule
	Refused                     // the input is valid, and a rule of the practice refuses it
	Forbidden                   // the caller may not do this
	Missing                     // the object that the caller named does not exist
	Conflict                    // it conflicts with existing data
	Unsupported                 // a media type that this service does not read
	TooLarge                    // more than this service accepts
	RateLimited                 // too many calls of one application
	Unavailable                 // the service cannot answer now; try again later
)

// Error is one refusal. It is safe to show, because it never holds personal data or the
// text of a token, and it is enough to act on.
type Error struct {
	Kind    Kind
	Code    string    // in kebab case
	Detail  string    // one sentence with the next step
	RetryAt time.Time // when the same input may be accepted; zero if unknown
}

// New returns a refusal.
func New(kind Kind, code, detail string) *Error {
	return &Error{Kind: kind, Code: code, Detail: detail}
}

// Error returns the code and the detail.
func (e *Error) Error() string { return e.Code + ": " + e.Detail }

// Is reports whether target is the same refusal, perhaps with another detail, so that
// errors.Is works with the variables that rules declare.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Kind == e.Kind && other.Code == e.Code
}

// With returns a copy of the refusal with a detail that names the place or the
// value.
func (e *Error) With(format string, args ...any) *Error {
	with := *e
	with.Detail = fmt.Sprintf(format, args...)
	return &with
}

// Worded returns the refusal with another sentence. Its verbs are for Filled. A rule
// declares each of its sentences, so that all can be listed.
func (e *Error) Worded(format string) *Error {
	worded := *e
	worded.Detail = format
	return &worded
}

// Filled returns a copy of the refusal with the verbs of its detail filled in.
func (e *Error) Filled(args ...any) *Error { return e.With(e.Detail, args...) }

// Until returns a copy of the refusal with the time at which a retry may be accepted.
func (e *Error) Until(t time.Time) *Error {
	until := *e
	until.RetryAt = t
	return &until
}

// List is several refusals of one input, in the order in which to report them.
// An empty list is no error: return it through [List.Err].
type List []*Error

// Error returns all refusals in one line.
func (l List) Error() string {
	texts := make([]string, len(l))
	for i, e := range l {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns each refusal, for errors.Is and errors.As.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Err returns the list as an error, and nil if the list is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}
