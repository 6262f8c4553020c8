package staff

import (
	"net/mail"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
)

// The refusals of this package's rules.
var (
	ErrInvalidUsername = fault.New(fault.Invalid, "invalid-username",
		"A username must be 1 to 128 printable characters and must not be a UUID.")
	ErrNameless      = fault.New(fault.Invalid, "missing-name", "Give the member of staff a name.")
	ErrInvalidEmail  = fault.New(fault.Invalid, "invalid-email", "The email address must be written like lee@elm.example.")
	ErrUsernameTaken = fault.New(fault.Conflict, "username-taken", "Choose another username: someone at the practice has this one already.")
	ErrActive        = fault.New(fault.Conflict, "active-already", "This member of staff is active. To give them a link, invite them or reset how they sign in.")
	ErrLastManager   = fault.New(fault.Refused, "last-manager", "The practice needs a manager who can sign in. Make someone else manager first, and wait until they have chosen their password.")
	ErrUnknown       = fault.New(fault.Missing, "unknown-staff", "The practice has no active member of staff with this username.")
)

// StreamOf returns the stream of a member of staff.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Register registers a member of staff (rule 1). The store refuses with
// [ErrUsernameTaken] if the username is not unique.
func Register(r Registered) ([]event.Event, error) {
	var long error
	r.Name, long = parse.Name(r.Name)
	switch {
	case !isUsername(r.Username):
		return nil, ErrInvalidUsername
	case long != nil:
		return nil, long
	case r.Name == "":
		return nil, ErrNameless
	case !isEmail(r.Email):
		return nil, ErrInvalidEmail
	}
	return []event.Event{r}, nil
}

func isUsername(s string) bool {
	printable := !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
	erased := strings.HasPrefix(s, event.Erased) // the placeholder of erased staff
	return s != "" && utf8.RuneCountInString(s) <= 128 && printable && !erased && uuid.Validate(s) != nil
}

func isEmail(s string) bool {
	address, err := mail.ParseAddress(s)
	return err == nil && address.Address == s
}

// Member is the state of a member of staff that later decisions need.
type Member struct {
	registered, deactivated bool
	signsIn                 bool         // they have chosen a password, and it is valid
	credential              CredentialID // the newest password; zero for none
	roles                   Roles
	link                    Link // zero for none
	passkeys                []PasskeyID
	reset                   ResetRequest // zero for none
	erasure                 erasure.State
}

// Active returns [ErrUnknown] unless the member of staff may act.
func (m Member) Active() error {
	if !m.registered || m.deactivated || m.erasure.Erased() {
		return ErrUnknown
	}
	return nil
}

// IsClinician reports whether the member of staff may act, and is a clinician.
func (m Member) IsClinician() bool { return m.Active() == nil && m.roles.Has(Clinician) }

// HasLeft returns [ErrActive] if the member of staff may act, and [ErrUnknown] if they
// never existed.
func (m Member) HasLeft() error {
	switch {
	case !m.registered || m.erasure.Erased():
		return ErrUnknown
	case !m.deactivated:
		return ErrActive
	}
	return nil
}

// SetRoles replaces the roles of the member of staff (rule 4).
func (m Member) SetRoles(roles Roles) ([]event.Event, error) {
	if err := m.Active(); err != nil {
		return nil, err
	}
	if slices.Equal(m.roles, roles) {
		return nil, nil
	}
	return []event.Event{RolesSet{roles}}, nil
}

// Deactivate ends the rights of the member of staff (rule 2).
func (m Member) Deactivate() ([]event.Event, error) {
	if !m.registered || m.erasure.Erased() {
		return nil, ErrUnknown
	}
	if m.deactivated {
		return nil, nil
	}
	return []event.Event{Deactivated{}}, nil
}

// Reactivate lets the member of staff act again, once they have chosen a password by
// the link (rule 2). It takes passkeys that they had, as a reset does (rule 10).
func (m Member) Reactivate(link Link, by Second) ([]event.Event, error) {
	if err := m.MayReactivate(by); err != nil {
		return nil, err
	}
	return []event.Event{Reactivated{}, Invited{link}}, nil
}

// MayReactivate returns why a person may not let the member of staff act again; nil if
// they may.
func (m Member) MayReactivate(by Second) error {
	if err := m.HasLeft(); err != nil {
		return err
	}
	return m.mayReset(by)
}

// Apply returns the member of staff after the event.
func (m Member) Apply(e event.Event) Member {
	switch e := e.(type) {
	case Registered:
		m.registered = true
		if e.Administrator {
			m.roles = Roles{Manager}
		}
	case RolesSet:
		m.roles = e.Roles
	case Invited:
		m.link = e.Link
	case Reset:
		m.signsIn, m.link, m.passkeys, m.reset = false, e.Link, nil, ResetRequest{}
	case ResetRequested:
		m.reset = e.ResetRequest
	case ResetWithdrawn:
		m.reset = ResetRequest{}
	case PasswordSet:
		m.signsIn, m.credential, m.link = true, e.Credential, Link{}
	case Deactivated:
		m.deactivated, m.signsIn, m.link = true, false, Link{}
	case Reactivated:
		m.deactivated, m.passkeys, m.reset = false, nil, ResetRequest{}
	case PasskeyAdded:
		m.passkeys = append(slices.Clip(m.passkeys), e.Passkey)
	case PasskeyRemoved:
		m.passkeys = without(m.passkeys, e.Passkey)
	case ErasureRequested:
		m.erasure = m.erasure.Requested(e.Request)
	case ErasureWithdrawn:
		m.erasure = m.erasure.Withdrawn()
	case Erased:
		m.erasure = m.erasure.Completed(e.Done)
	}
	return m
}
