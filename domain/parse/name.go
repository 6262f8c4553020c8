package parse

import (
	"strings"
	"unicode/utf8"

	"frontdesk/domain/fault"
)

// MaxName is how many characters the name of a patient or of a member of staff may have.
const MaxName = 200

// ErrLongName refuses a name that is too long.
var ErrLongName = fault.New(fault.Invalid, "name-too-long", "Write the name in at most 200 characters.")

// Name returns the name of a person without surrounding space; "" for a blank one. It
// refuses a name that is too long.
func Name(text string) (string, error) {
	name := strings.TrimSpace(text)
	if utf8.RuneCountInString(name) > MaxName {
		return "", ErrLongName
	}
	return name, nil
}
