package parse

import (
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
)

// ID parses a UUID of 36 characters, in upper or lower case (D20). It accepts none of
// the other forms of package uuid. It also accepts the UUID of zeros, which nothing
// has.
func ID(text string) (uuid.UUID, bool) {
	if len(text) != len(uuid.Nil.String()) {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

// SomeID parses a UUID as [ID] does, but refuses the UUID of zeros, for places where
// that means no identifier.
func SomeID(text string) (uuid.UUID, bool) {
	id, ok := ID(text)
	return id, ok && id != uuid.Nil
}

// instantForm is date-time of RFC 3339, without its leap seconds: no clock here has
// one. Package time knows the days of a month, but accepts a comma for the point, an
// hour of one digit and an offset of more than a day.
var instantForm = regexp.MustCompile(
	`^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// Instant parses an instant in RFC 3339, section 5.6. It drops decimals beyond the
// ninth. It refuses the first instant of the year 1, which is the zero [time.Time]:
// everywhere else that means that no instant was given.
func Instant(text string) (time.Time, bool) {
	if !instantForm.MatchString(text) {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	return at, err == nil && !at.IsZero()
}
