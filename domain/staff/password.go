package staff

import (
	"strings"
	"unicode/utf8"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// Lengths of a password, in characters. There is no rule about which
// characters: such rules make passwords worse.
const (
	minPassword = 8
	maxPassword = 256
)

// The refusals of a password.
var (
	ErrPasswordShort   = fault.New(fault.Invalid, "password-too-short", "A password must have at least 8 characters. Three random words are a good one.")
	ErrPasswordLong    = fault.New(fault.Invalid, "password-too-long", "A password must have at most 256 characters.")
	ErrPasswordGuessed = fault.New(fault.Invalid, "password-too-easy", "The password must not be the username.")
	ErrPasswordEnded   = fault.New(fault.Conflict, "password-ended", "The old password has ended in the meantime. Sign in again.")
	ErrPasswordText    = fault.New(fault.Invalid, "password-not-text", "A password must be one line of text in UTF-8.")
)

// CheckPassword refuses a password that is not fit for a username (rule 3).
func CheckPassword(username, password string) error {
	switch length := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password), strings.ContainsAny(password, "\r\n\x00"):
		return ErrPasswordText
	case length < minPassword:
		return ErrPasswordShort
	case length > maxPassword:
		return ErrPasswordLong
	case strings.EqualFold(password, username):
		return ErrPasswordGuessed
	}
	return nil
}

// ChangePassword makes a password the one to sign in with in place of another, by which
// the member of staff has just proved who they are (rule 3). Nothing that was done in the
// meantime, such as a reset, is undone by it.
func (m Member) ChangePassword(old CredentialID, kept PasswordSet) ([]event.Event, error) {
	if !m.signsIn || m.credential != old {
		return nil, ErrPasswordEnded
	}
	return m.SetPassword(kept)
}

// SetPassword makes a password the one to sign in with (rule 3). The caller has
// found it fit and has kept its hash.
func (m Member) SetPassword(kept PasswordSet) ([]event.Event, error) {
	if err := m.Active(); err != nil {
		return nil, err
	}
	return []event.Event{kept}, nil
}
