package staff

import (
	"strings"
	"unicode/utf8"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Lengths of a password, in characters. No rule requires kinds of characters: such
// rules make passwords worse.
const (
	minPassword = 10
	maxPassword = 256
)

// The refusals of a password.
var (
	ErrPasswordShort   = fault.New(fault.Invalid, "password-too-short", "A password must have at least 10 characters. Three random words are a good one.")
	ErrPasswordLong    = fault.New(fault.Invalid, "password-too-long", "A password must have at most 256 characters.")
	ErrPasswordCommon  = fault.New(fault.Invalid, "password-too-common", "Choose another password: many people use this one, so it is tried first. Three random words are a good one.")
	ErrPasswordGuessed = fault.New(fault.Invalid, "password-too-easy",
		"Choose another password: names, words of your work, seasons and numbers are tried first, in any spelling. Three random words are a good one.")
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
	case strings.EqualFold(password, of.Username):
		return ErrPasswordGuessed
	case isCommon(password), isPattern(password):
		return ErrPasswordCommon
	case isGuessed(password, of):
		return ErrPasswordGuessed
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

// SetPassword sets a password (rule 3). The caller has checked it and has stored its
// hash.
func (m Member) SetPassword(kept PasswordSet) ([]event.Event, error) {
	if err := m.Active(); err != nil {
		return nil, err
	}
	return []event.Event{kept}, nil
}
