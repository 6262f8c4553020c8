package staff

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// ID identifies a member of staff of one practice. Events hold it, never the
// username.
type ID struct{ uuid.UUID }

// CredentialID names one password of one member of staff. It says nothing about
// the password, whose hash is kept outside the log.
type CredentialID struct{ uuid.UUID }

// Registered says that somebody works for the practice.
type Registered struct {
	Username      string `json:"username" personal:"staff"`
	Name          string `json:"name" personal:"staff"`
	Email         string `json:"email" personal:"staff"`
	Administrator bool   `json:"administrator"` // a practice administrator
}

// Deactivated says that they may not act any more.
type Deactivated struct{}

// PasswordSet says that a member of staff signs in with a new password from now
// on. It holds neither the password nor its hash.
type PasswordSet struct {
	Credential CredentialID `json:"credential"`
	// Digest is the SHA-256 of the hash as it is kept, with its salt, so that no other
	// hash counts. It is zero in older events. Without the salt nobody can try passwords
	// on it.
	Digest event.Digest `json:"digest,omitzero"`
}

// EventName returns the name that the event is stored under.
func (Registered) EventName() string { return "staff.registered.v1" }

// EventName returns the name that the event is stored under.
func (Deactivated) EventName() string { return "staff.deactivated.v1" }

// EventName returns the name that the event is stored under.
func (PasswordSet) EventName() string { return "staff.password-set.v1" }

// Events returns an empty event of each type of this package, for the codec.
func Events() []event.Event { return []event.Event{Registered{}, Deactivated{}, PasswordSet{}} }

// The refusals of this package's rules.
var (
	ErrInvalidUsername = fault.New(fault.Invalid, "invalid-username",
		"A username must be 1 to 128 printable characters and must not be a UUID.")
	ErrNameless      = fault.New(fault.Invalid, "missing-name", "Give the member of staff a name.")
	ErrInvalidEmail  = fault.New(fault.Invalid, "invalid-email", "The e-mail address must be written like lee@elm.example.")
	ErrUsernameTaken = fault.New(fault.Conflict, "username-taken", "Choose another username: somebody at the practice has this one already.")
	ErrUnknown       = fault.New(fault.Missing, "unknown-staff", "The practice has no active member of staff with this username.")
)

// StreamOf returns the stream of a member of staff.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Register makes somebody a member of staff (rule 1). The store refuses with
// [ErrUsernameTaken] if the username is not unique.
func Register(r Registered) ([]event.Event, error) {
	r.Name = strings.TrimSpace(r.Name)
	switch {
	case !isUsername(r.Username):
		return nil, ErrInvalidUsername
	case r.Name == "":
		return nil, ErrNameless
	case !isEmail(r.Email):
		return nil, ErrInvalidEmail
	}
	return []event.Event{r}, nil
}

func isUsername(s string) bool {
	printable := !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
	return s != "" && utf8.RuneCountInString(s) <= 128 && printable && uuid.Validate(s) != nil
}

func isEmail(s string) bool {
	address, err := mail.ParseAddress(s)
	return err == nil && address.Address == s
}

// Member is what later decisions need to know of a member of staff.
type Member struct{ registered, deactivated bool }

// Deactivate ends what the member of staff may do (rule 2).
func (m Member) Deactivate() ([]event.Event, error) {
	if !m.registered {
		return nil, ErrUnknown
	}
	if m.deactivated {
		return nil, nil
	}
	return []event.Event{Deactivated{}}, nil
}

// SetPassword makes a password the one to sign in with (rule 3). The caller has
// found it fit and has kept its hash.
func (m Member) SetPassword(kept PasswordSet) ([]event.Event, error) {
	if err := m.Active(); err != nil {
		return nil, err
	}
	return []event.Event{kept}, nil
}

// Active returns [ErrUnknown] unless the member of staff may act.
func (m Member) Active() error {
	if !m.registered || m.deactivated {
		return ErrUnknown
	}
	return nil
}

// Apply returns the member of staff as it is after the event.
func (m Member) Apply(e event.Event) Member {
	switch e.(type) {
	case Registered:
		m.registered = true
	case Deactivated:
		m.deactivated = true
	}
	return m
}

// Lengths of a password, in characters. There is no rule about which
// characters: such rules make passwords worse.
const (
	minPassword = 8
	maxPassword = 256
)

// The refusals of an unfit password.
var (
	ErrPasswordShort   = fault.New(fault.Invalid, "password-too-short", "A password must have at least 8 characters. Three random words are a good one.")
	ErrPasswordLong    = fault.New(fault.Invalid, "password-too-long", "A password must have at most 256 characters.")
	ErrPasswordGuessed = fault.New(fault.Invalid, "password-too-easy", "The password must not be the username.")
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
