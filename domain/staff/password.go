package staff

import (
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// CredentialID names one password of one member of staff. It says nothing of
// the password, whose hash is kept outside the log (D27).
type CredentialID struct{ uuid.UUID }

// PasswordSet says that a member of staff signs in with another password from
// now on, never with what.
type PasswordSet struct {
	Credential CredentialID `json:"credential"`
}

// EventName implements [event.Event].
func (PasswordSet) EventName() string { return "staff.password-set.v1" }

// Lengths of a password, in characters. There is no rule about which
// characters: such rules make passwords worse.
const (
	minPassword = 8
	maxPassword = 256
)

// What makes a password unfit.
var (
	ErrPasswordShort   = fault.New(fault.Invalid, "password-too-short", "A password has at least 8 characters. Three random words are a good one.")
	ErrPasswordLong    = fault.New(fault.Invalid, "password-too-long", "A password has at most 256 characters.")
	ErrPasswordGuessed = fault.New(fault.Invalid, "password-too-easy", "The password must not be the username.")
	ErrPasswordText    = fault.New(fault.Invalid, "password-not-text", "A password is one line of text in UTF-8.")
)

// CheckPassword refuses what is no fit password for a username (rule 3).
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

// SetPassword is rule 3, for a password that was found fit and whose hash is
// kept already.
func (m Member) SetPassword(id CredentialID) ([]event.Event, error) {
	if err := m.Active(); err != nil {
		return nil, err
	}
	return []event.Event{PasswordSet{id}}, nil
}
