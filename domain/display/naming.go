package display

import (
	"slices"
	"strings"
	"unicode"
)

// Naming is how a display names people.
type Naming string

// The ways to name people.
const (
	FullName Naming = "full-name"
	Initials Naming = "initials"
	Number   Naming = "number" // of the appointment, which staff give the patient on arrival
)

// Namings returns every way, in the order in which pages show them.
func Namings() []Naming { return []Naming{FullName, Initials, Number} }

func (n Naming) known() bool { return slices.Contains(Namings(), n) }

// NeedsName reports whether the name of a patient is needed.
func (n Naming) NeedsName() bool { return n != Number }

// Format returns the name of a patient on the board, from their name and their
// appointment's number (rule 4). A name without a letter has no initials, so the
// patient is called by number.
func (n Naming) Format(name, number string) string {
	if n == FullName {
		return name
	}
	if initials := initialsOf(name); n == Initials && initials != "" {
		return initials
	}
	return number
}

// initialsOf returns the first letter of each word of a name: "A B" for "Ann Baker".
func initialsOf(name string) string {
	var letters []string
	for word := range strings.FieldsSeq(name) {
		if first := strings.IndexFunc(word, unicode.IsLetter); first >= 0 {
			letter := []rune(word[first:])[0]
			letters = append(letters, string(unicode.ToUpper(letter)))
		}
	}
	return strings.Join(letters, " ")
}
