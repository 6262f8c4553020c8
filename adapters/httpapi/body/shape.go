package body

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// shape lists the members of an object in the contract.
type shape []member

// member is one member. It may hold an object, or a list of objects.
type member struct {
	name string
	of   shape // of the object; nil if it is none
	list bool
}

// flat is the shape of an object without nested objects.
func flat(names ...string) shape {
	known := make(shape, len(names))
	for i, name := range names {
		known[i].name = name
	}
	return known
}

// names returns the names of all members.
func (s shape) names() []string {
	names := make([]string, len(s))
	for i, m := range s {
		names[i] = m.name
	}
	return names
}

// all returns the names of all members, and of those within them.
func (s shape) all() []string {
	names := s.names()
	for _, m := range s {
		names = append(names, m.of.all()...)
	}
	return names
}

// checkNames notes the members that are not in the shape. It refuses a known name in
// another case, which a more lenient reader could take for the known one. It ignores
// values of the wrong type.
func (f *Form) checkNames(object map[string]any, place string, known shape) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		i := slices.IndexFunc(known, func(m member) bool { return strings.EqualFold(m.name, name) })
		switch {
		case i < 0:
			f.Unknown.add(place, name, known)
		case known[i].name != name:
			f.invalidate(errCase, place, known[i].name)
		case known[i].of != nil:
			f.checkWithin(object[name], place+name, known[i])
		}
	}
}

func (f *Form) checkWithin(value any, place string, known member) {
	values, isList := value.([]any)
	if object, ok := value.(map[string]any); ok && !known.list {
		f.checkNames(object, place+".", known.of)
	}
	if !isList || !known.list {
		return
	}
	for i, value := range values {
		if object, ok := value.(map[string]any); ok {
			f.checkNames(object, fmt.Sprintf("%s[%d].", place, i), known.of)
		}
	}
}

// Unknown is the members of a call's input that are not in the contract (D93). A
// member's name can be any text, even a patient's words. So it is returned to the
// caller, and recorded nowhere.
type Unknown struct {
	names []string
	known []string // the known members at the place of the first
}

// The sentences for the first one.
var (
	errNoField     = ErrInvalid.Worded("The contract has no field %s.")
	errOtherFields = ErrInvalid.Worded("The contract has no field %s; there it has: %s.")
)

// The limits of the header: 1 KiB in all.
const (
	maxNames      = 10
	maxNameLength = 100 // bytes
)

// ellipsis replaces the rest of a name that is too long. No encoded name has a full
// stop.
const ellipsis = "..."

// add notes an unknown member at a place.
func (u *Unknown) add(place, name string, known shape) {
	if len(u.names) == maxNames {
		return
	}
	field := inHeader(anyIndex.ReplaceAllString(place, "[]"), name)
	if slices.Contains(u.names, field) {
		return
	}
	if u.names = append(u.names, field); len(u.names) == 1 {
		u.known = known.names()
	}
}

// anyIndex is the index of one of several objects, which all have the same members.
var anyIndex = regexp.MustCompile(`\[[0-9]+\]`)

// None reports whether the contract knows all members.
func (u *Unknown) None() bool { return len(u.names) == 0 }

// Header returns the names as a header has them: with their places, percent-encoded, as in
// attachments[].fileNam, separated by commas. They are at most 10 in 1 KiB; the rest is
// left out.
func (u *Unknown) Header() string { return strings.Join(u.names, ", ") }

// Sentence names the first unknown member, and the known ones at its place.
func (u *Unknown) Sentence() string {
	if len(u.known) == 0 {
		return errNoField.Filled(u.names[0]).Detail
	}
	return errOtherFields.Filled(u.names[0], strings.Join(u.known, ", ")).Detail
}

// inHeader returns a name with its place, percent-encoded and cut to the limit.
func inHeader(place, name string) string {
	var text strings.Builder
	text.WriteString(place)
	if name == "" {
		text.WriteString(`""`)
	}
	for _, r := range name {
		encoded := percent(r)
		if text.Len()+len(encoded) > maxNameLength-len(ellipsis) {
			return text.String() + ellipsis
		}
		text.WriteString(encoded)
	}
	return text.String()
}

// percent encodes all but letters, digits, hyphens, underscores and tildes. It also
// encodes the full stop and the brackets, which only places have.
func percent(r rune) string {
	if r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_~", r)) {
		return string(r)
	}
	return strings.ToUpper("%" + strings.ReplaceAll(fmt.Sprintf("% x", string(r)), " ", "%"))
}
