package staff

import (
	_ "embed" // the commonest passwords
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Lengths of a password, in characters. No rule requires kinds of characters: such
// rules make passwords worse.
const (
	minPassword = 10
	maxPassword = 256

	minDifferent = 5 // characters
)

// The refusals of a password.
var (
	ErrPasswordShort   = fault.New(fault.Invalid, "password-too-short", "A password must have at least 10 characters. Three random words are a good one.")
	ErrPasswordLong    = fault.New(fault.Invalid, "password-too-long", "A password must have at most 256 characters.")
	ErrPasswordCommon  = fault.New(fault.Invalid, "password-too-common", "Choose another password: many people use this one, so it is tried first. Three random words are a good one.")
	ErrPasswordGuessed = fault.New(fault.Invalid, "password-too-easy",
		"A password must not be made of the username, the name or the practice alone, with or without digits. Three random words are a good one.")
	ErrPasswordEnded = fault.New(fault.Conflict, "password-ended", "The old password has ended in the meantime. Sign in again.")
	ErrPasswordText  = fault.New(fault.Invalid, "password-not-text", "A password must be one line of text in UTF-8.")
)

// Known is the public facts about a member of staff, which attackers would try first.
type Known struct{ Username, Name, Tenant, Practice string }

// CheckPassword refuses an unfit password of a member of staff (rule 3).
func CheckPassword(password string, of Known) error {
	switch length := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password), strings.ContainsAny(password, "\r\n\x00"):
		return ErrPasswordText
	case length < minPassword:
		return ErrPasswordShort
	case length > maxPassword:
		return ErrPasswordLong
	case strings.EqualFold(password, of.Username), isMadeOf(password, of):
		return ErrPasswordGuessed
	case isCommon(password), isPattern(password):
		return ErrPasswordCommon
	}
	return nil
}

// ChangePassword replaces a password that the member of staff has just proved to know
// (rule 3). It does not undo acts in the meantime, such as a reset.
func (m Member) ChangePassword(old CredentialID, kept PasswordSet) ([]event.Event, error) {
	if !m.signsIn || m.credential != old {
		return nil, ErrPasswordEnded
	}
	return m.SetPassword(kept)
}

// commonest are the commonest passwords that are long enough, in lower case, one a line.
//
//go:generate common/make.sh
//go:embed common/passwords.txt
var commonest string

func isCommon(password string) bool {
	return strings.Contains("\n"+commonest, "\n"+strings.ToLower(password)+"\n")
}

// isPattern reports whether a password is a few characters over and over, or a run such
// as 0123456789. The list leaves such passwords out, however common they are.
func isPattern(password string) bool {
	different, run, last := map[rune]bool{}, true, rune(-1)
	for _, r := range strings.ToLower(password) {
		step := max(r-last, last-r)
		run = run && (last < 0 || step <= 1 || step == 9 && min(r, last) == '0')
		different[r], last = true, r
	}
	return run || len(different) < minDifferent
}

// isMadeOf reports whether the letters of a password are only public words about a
// member of staff, in any order and case, and with any separators.
func isMadeOf(password string, of Known) bool {
	letters := strings.Join(words(password), "")
	if letters == "" {
		return false
	}
	known := words(strings.Join([]string{of.Username, of.Name, of.Tenant, of.Practice}, " "))
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) })
	for _, word := range known {
		letters = strings.ReplaceAll(letters, word, "")
	}
	return letters == ""
}

// words returns the words of a text in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
}

// SetPassword sets a password (rule 3). The caller has checked it and has stored its
// hash.
func (m Member) SetPassword(kept PasswordSet) ([]event.Event, error) {
	if err := m.Active(); err != nil {
		return nil, err
	}
	return []event.Event{kept}, nil
}
