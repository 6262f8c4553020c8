package body

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
)

// The refusals of malformed parameters.
var (
	ErrInvalidQuery = fault.New(fault.Invalid, "invalid-query", "The query string is malformed.")

	errNumber     = ErrInvalidQuery.Worded("%s must be a whole number from %d to %d.")
	errChoice     = ErrInvalidQuery.Worded("%s must be one of: %s.")
	errMoment     = ErrInvalidQuery.Worded("%s must be an RFC 3339 instant such as 2026-03-02T12:00:00Z.")
	errUUID       = ErrInvalidQuery.Worded("%s must be a UUID of 36 characters.")
	errGivenTwice = ErrInvalidQuery.Worded(errQueryTwice.Detail)
)

// Number returns the whole number in a parameter, which must be from least to most;
// otherwise if it is absent.
func (f *Form) Number(name string, least, most, otherwise int) int {
	if f.absent(name) {
		return otherwise
	}
	n, err := strconv.Atoi(f.Text(name))
	if err != nil || n < least || n > most {
		f.Add(errNumber.Filled(name, least, most))
		return otherwise
	}
	return n
}

// Choice returns the word in a parameter, which must be one of words; "" if it is
// absent.
func (f *Form) Choice(name string, words ...string) string {
	word := f.Text(name)
	if word != "" && !slices.Contains(words, word) {
		f.Add(errChoice.Filled(name, strings.Join(words, ", ")))
	}
	return word
}

// Moment returns the RFC 3339 instant in a parameter; zero if it is absent.
func (f *Form) Moment(name string) time.Time {
	if f.absent(name) {
		return time.Time{}
	}
	at, ok := parse.Instant(f.Text(name))
	if !ok {
		f.Add(errMoment.Filled(name))
	}
	return at
}

// InvalidParameter returns the refusal of a parameter that is not an identifier.
func InvalidParameter(name string) *fault.Error {
	return errUUID.Filled(name)
}
