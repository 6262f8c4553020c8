package staff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// How many passkeys a member of staff has, and how long their names are, in characters.
const (
	MaxPasskeys    = 10
	maxPasskeyName = 64
)

// The refusals about passkeys.
var (
	ErrPasskeyName     = fault.New(fault.Invalid, "invalid-passkey-name", "Give the passkey a name of 1 to 64 printable characters.")
	ErrTooManyPasskeys = fault.New(fault.Conflict, "too-many-passkeys", "You have 10 passkeys, which is the most. Remove one to add another.")
	// ErrPasskeyTaken says that the practice knows the credential already.
	ErrPasskeyTaken = fault.New(fault.Conflict, "passkey-taken", "This passkey has been added already. Use another one.")
)

// PasskeyID names one passkey of one member of staff.
type PasskeyID struct{ uuid.UUID }

// PasskeyAdded says that a member of staff signs in with this passkey from now on, and
// no more with the password alone. Nothing in it is secret: whoever has the public key
// can check what the passkey signs, and sign nothing.
type PasskeyAdded struct {
	Passkey    PasskeyID `json:"passkey"`
	Name       string    `json:"name" personal:"staff"` // its owner has given it
	Credential []byte    `json:"credentialId"`          // the authenticator has chosen it
	PublicKey  []byte    `json:"publicKey"`             // COSE
	// BackupEligible says that the passkey may be kept on several devices. It never changes.
	BackupEligible bool      `json:"backupEligible"`
	SignCount      uint32    `json:"signCount"` // 0 from authenticators that do not count
	AAGUID         uuid.UUID `json:"aaguid"`    // the model of the authenticator; zero if it does not tell
	Transports     []string  `json:"transports,omitempty"`
}

// PasskeyRemoved says that nobody signs in with the passkey any more.
type PasskeyRemoved struct {
	Passkey PasskeyID `json:"passkey"`
}

// EventName returns the name that the event is stored under.
func (PasskeyAdded) EventName() string { return "staff.passkey-added.v1" }

// EventName returns the name that the event is stored under.
func (PasskeyRemoved) EventName() string { return "staff.passkey-removed.v1" }

// AddPasskey gives a member of staff one more passkey (rule 6), if the password still counts
// with which they began to. The caller has seen the passkey sign.
func (m Member) AddPasskey(with CredentialID, p PasskeyAdded) ([]event.Event, error) {
	p.Name = strings.TrimSpace(p.Name)
	switch {
	case m.Active() != nil:
		return nil, ErrUnknown
	case !m.signsIn, m.credential != with: // a reset has come before
		return nil, ErrPasswordEnded
	case !isPasskeyName(p.Name):
		return nil, ErrPasskeyName
	case len(m.passkeys) == MaxPasskeys:
		return nil, ErrTooManyPasskeys
	}
	return []event.Event{p}, nil
}

func isPasskeyName(name string) bool {
	printable := !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
	return name != "" && utf8.RuneCountInString(name) <= maxPasskeyName && printable
}

// RemovePasskey takes a passkey away (rule 6). One that they do not have changes nothing.
func (m Member) RemovePasskey(id PasskeyID) ([]event.Event, error) {
	if err := m.Active(); err != nil {
		return nil, err
	}
	if !slices.Contains(m.passkeys, id) {
		return nil, nil
	}
	return []event.Event{PasskeyRemoved{id}}, nil
}

// without returns the passkeys but for one. It leaves the others' order, and the slice
// that it was given, as they are.
func without(passkeys []PasskeyID, id PasskeyID) []PasskeyID {
	return slices.DeleteFunc(slices.Clone(passkeys), func(p PasskeyID) bool { return p == id })
}
