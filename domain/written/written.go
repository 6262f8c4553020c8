package written

import (
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
)

// ID reads a UUID of 36 characters, in upper or lower case (D20). It takes none of the
// other forms that package uuid takes. The UUID of zeros is one, too; nothing has it.
func ID(text string) (uuid.UUID, bool) {
	if len(text) != len(uuid.Nil.String()) {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

// SomeID reads a UUID as [ID] does, but for the UUID of zeros. It is for places where
// that would be taken for no identifier.
func SomeID(text string) (uuid.UUID, bool) {
	id, ok := ID(text)
	return id, ok && id != uuid.Nil
}

// instantForm is what RFC 3339 calls date-time, without its leap seconds: no clock here
// has one. Package time knows the days of a month, but takes a comma for the point, an
// hour of one digit and an offset of more than a day.
var instantForm = regexp.MustCompile(
	`^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// Instant reads an instant in RFC 3339, section 5.6. Decimals beyond the ninth are
// dropped. It refuses the first instant of the year 1, which is the zero [time.Time]:
// everywhere else that means that no instant was given.
func Instant(text string) (time.Time, bool) {
	if !instantForm.MatchString(text) {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	return at, err == nil && !at.IsZero()
}
