package parse

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/domain/fault"
)

// MaxReason is how many characters a reason may have.
const MaxReason = 200

// ErrInvalidReason refuses an invalid reason. A reason is stored in clear text, so it
// must not contain names.
var ErrInvalidReason = fault.New(fault.Invalid, "invalid-reason",
	"Give a reason in one line of at most 200 characters, and name no one in it.")

// Reason parses the reason for a change of recorded data, without surrounding space.
func Reason(text string) (string, error) {
	reason := strings.TrimSpace(text)
	if reason == "" || utf8.RuneCountInString(reason) > MaxReason || !utf8.ValidString(reason) ||
		strings.ContainsFunc(reason, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", ErrInvalidReason
	}
	return reason, nil
}
