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

// The maximum number of passkeys of a member of staff, and of characters in their
// names.
const (
	MaxPasskeys    = 10
	maxPasskeyName = 64
)

// The refusals about passkeys.
var (
	ErrPasskeyName     = fault.New(fault.Invalid, "invalid-passkey-name", "Give the passkey a name of 1 to 64 printable characters.")
	ErrTooManyPasskeys = fault.New(fault.Conflict, "too-many-passkeys", "You have 10 passkeys, which is the most. Remove one to add another.")
	// ErrPasskeyTaken means that the practice has the credential already.
	ErrPasskeyTaken = fault.New(fault.Conflict, "passkey-taken", "This passkey has been added already. Use another one.")
)

// PasskeyID names one passkey of one member of staff.
type PasskeyID struct{ uuid.UUID }

// PasskeyAdded records that a member of staff signs in with this passkey from now on,
// and no longer only with the password. Nothing in it is secret: the public key can
// only verify signatures of the passkey.
type PasskeyAdded struct {
	Passkey    PasskeyID `json:"passkey"`
	Name       string    `json:"name" personal:"staff"` // chosen by its owner
	Credential []byte    `json:"credentialId"`          // chosen by the authenticator
	PublicKey  []byte    `json:"publicKey"`             // COSE
	// BackupEligible means that the passkey may be kept on several devices. It never
	// changes.
	BackupEligible bool      `json:"backupEligible"`
	SignCount      uint32    `json:"signCount"` // 0 from authenticators that do not count
	AAGUID         uuid.UUID `json:"aaguid"`    // the model of the authenticator; zero if it is not given
	Transports     []string  `json:"transports,omitempty"`
}

// PasskeyRemoved records that the passkey is no longer valid.
type PasskeyRemoved struct {
	Passkey PasskeyID `json:"passkey"`
}

// EventName returns the name that the event is stored under.
func (PasskeyAdded) EventName() string { return "staff.passkey-added.v1" }

// EventName returns the name that the event is stored under.
func (PasskeyRemoved) EventName() string { return "staff.passkey-removed.v1" }

// AddPasskey gives a member of staff one more passkey (rule 8), if their session's
// password is still valid. The caller has verified a signature of the passkey.
func (m Member) AddPasskey(with CredentialID, p PasskeyAdded) ([]event.Event, error) {
	p.Name = strings.TrimSpace(p.Name)
	switch {
	case m.Active() != nil:
		return nil, ErrUnknown
	case !m.signsIn, m.credential != with: // a reset came first
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

// RemovePasskey removes a passkey (rule 8), but not the last one of a member who needs one
// (rule 12). An unknown one changes nothing.
func (m Member) RemovePasskey(id PasskeyID, rule PasskeyRule) ([]event.Event, error) {
	if err := m.Active(); err != nil {
		return nil, err
	}
	if !slices.Contains(m.passkeys, id) {
		return nil, nil
	}
	if len(m.passkeys) == 1 && rule.Requires(m.roles) {
		return nil, ErrLastPasskey
	}
	return []event.Event{PasskeyRemoved{id}}, nil
}

// without returns the passkeys except one. It changes neither the others' order nor the
// given slice.
func without(passkeys []PasskeyID, id PasskeyID) []PasskeyID {
	return slices.DeleteFunc(slices.Clone(passkeys), func(p PasskeyID) bool { return p == id })
}
