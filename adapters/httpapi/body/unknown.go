package body

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Unknown is the members of a call's input that the contract does not know (D93). A member
// may be called anything, also what a patient said. So its name goes back to the caller, and
// to nobody else.
type Unknown struct {
	told  []string
	known []string // what may stand in the place of the first
}

// What a caller is told of the first one.
var (
	errNoField     = ErrInvalid.Worded("The contract has no field %s.")
	errOtherFields = ErrInvalid.Worded("The contract has no field %s; there it has: %s.")
)

// The bounds of what a caller is told: 1 KiB in all.
const (
	mostTold    = 10
	longestTold = 100 // bytes
)

// ellipsis stands for the rest of a name that is too long. No encoded name has a full stop.
const ellipsis = "..."

// add notes a member that is not among the known ones at a place.
func (u *Unknown) add(place, name string, known shape) {
	if len(u.told) == mostTold {
		return
	}
	told := inHeader(anyIndex.ReplaceAllString(place, "[]"), name)
	if slices.Contains(u.told, told) {
		return
	}
	if u.told = append(u.told, told); len(u.told) == 1 {
		u.known = known.names()
	}
}

// anyIndex is the index of one of several objects, which all have the same members.
var anyIndex = regexp.MustCompile(`\[[0-9]+\]`)

// None reports whether the contract knows all members.
func (u *Unknown) None() bool { return len(u.told) == 0 }

// Header returns the names as a header has them: with their places, percent-encoded, as in
// attachments[].fileNam, separated by commas. They are at most 10 in 1 KiB; the rest is
// left out.
func (u *Unknown) Header() string { return strings.Join(u.told, ", ") }

// Sentence says which member is not known, and what would be.
func (u *Unknown) Sentence() string {
	if len(u.known) == 0 {
		return errNoField.Filled(u.told[0]).Detail
	}
	return errOtherFields.Filled(u.told[0], strings.Join(u.known, ", ")).Detail
}

// inHeader returns a name in its place, percent-encoded and cut to the longest length.
func inHeader(place, name string) string {
	var told strings.Builder
	told.WriteString(place)
	if name == "" {
		told.WriteString(`""`)
	}
	for _, r := range name {
		encoded := percent(r)
		if told.Len()+len(encoded) > longestTold-len(ellipsis) {
			return told.String() + ellipsis
		}
		told.WriteString(encoded)
	}
	return told.String()
}

// percent encodes all but letters, digits, hyphens, underscores and tildes. It encodes the
// full stop and the brackets, too, which only places have.
func percent(r rune) string {
	if r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_~", r)) {
		return string(r)
	}
	return strings.ToUpper("%" + strings.ReplaceAll(fmt.Sprintf("% x", string(r)), " ", "%"))
}
