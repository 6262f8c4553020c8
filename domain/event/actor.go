package event

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// ActorKind is the kind of actor that caused an event.
type ActorKind string

// The kinds of actor.
const (
	ByApplication ActorKind = "application" // an application on its own account (application-restricted)
	ByStaff       ActorKind = "staff"       // a member of staff, in person or through an application
	ByOperator    ActorKind = "operator"    // a person at the command line, also when they act for a member of staff
	ByDisplay     ActorKind = "display"     // a screen in a waiting room
	ByService     ActorKind = "service"     // frontdesk itself
)

// Actor is the cause of an event. It is made by [Application], [Staff], [Operator],
// [Display] or [Service]; in the database, record_audit_query makes an operator of the
// same shape.
type Actor struct {
	Kind        ActorKind   `json:"kind"`
	ID          string      `json:"id"`                   // application id, staff id, display id, or the database session user of an operator
	Machine     string      `json:"machine,omitempty"`    // the operator according to their machine: "alice@desk7"
	For         uuid.UUID   `json:"for,omitzero"`         // the member of staff that the operator acts for
	Application uuid.UUID   `json:"application,omitzero"` // the application that called, if one did
	Mode        string      `json:"mode,omitempty"`       // the mode it called in
	OnBehalfOf  *OnBehalfOf `json:"onBehalfOf,omitempty"` // the act claim, if the call had one
}

// Application is an application that calls on its own account.
func Application(id uuid.UUID, mode string, act *OnBehalfOf) Actor {
	return Actor{Kind: ByApplication, ID: id.String()}.Through(id, mode, act)
}

// Staff is a member of staff in person.
func Staff(id uuid.UUID) Actor { return Actor{Kind: ByStaff, ID: id.String()} }

// Operator is a person at the command line: the session user of the database, and the
// user and host name of their machine.
func Operator(sessionUser, machine string) Actor {
	return Actor{Kind: ByOperator, ID: plain(sessionUser), Machine: plain(machine)}
}

// Display is a screen in a waiting room, which acts for no member of staff.
func Display(id uuid.UUID) Actor { return Actor{Kind: ByDisplay, ID: id.String()} }

// Service is a part of frontdesk, by its name.
func Service(name string) Actor { return Actor{Kind: ByService, ID: name} }

// Through returns the actor with the application that calls for them.
func (a Actor) Through(application uuid.UUID, mode string, act *OnBehalfOf) Actor {
	a.Application, a.Mode, a.OnBehalfOf = application, mode, act
	return a
}

// ActingFor returns the operator with the member of staff that they act for.
func (a Actor) ActingFor(member uuid.UUID) Actor {
	a.For = member
	return a
}

// Member returns the member of staff who acted, or whom an operator acted for; zero for
// other actors.
func (a Actor) Member() uuid.UUID {
	if a.Kind != ByStaff {
		return a.For
	}
	id, err := uuid.Parse(a.ID)
	if err != nil {
		return uuid.Nil
	}
	return id
}

// String returns the actor as the audit log shows it: "staff:018f…", or
// "operator:frontdesk_app (alice@desk7) for staff:018f…".
func (a Actor) String() string {
	text := string(a.Kind) + ":" + a.ID
	if a.Machine != "" {
		text += " (" + a.Machine + ")"
	}
	if a.For != uuid.Nil {
		text += " for " + Staff(a.For).String()
	}
	return text
}

// Names looks up the names of actors.
type Names interface {
	Member(id uuid.UUID) (string, error)
	Application(id uuid.UUID) (string, error)
	// Practitioner returns the practitioner of an act claim with their organisation.
	Practitioner(claim OnBehalfOf) string
}

// Words returns the actor in plain words, with the application that they acted through:
// "Dr Lee, through Triage". It returns the errors of names.
func (a Actor) Words(names Names) (string, error) {
	person, err := a.person(names)
	if err != nil || a.Application == uuid.Nil {
		return person, err
	}
	application, err := names.Application(a.Application)
	if err != nil || person == "" {
		return application, err
	}
	return person + ", through " + application, nil
}

// person returns the actor without the application; "" for an application that acted on its
// own account.
func (a Actor) person(names Names) (string, error) {
	member := a.Member()
	switch {
	case member != uuid.Nil && a.Kind == ByOperator:
		name, err := names.Member(member)
		return "an operator, for " + name, err
	case member != uuid.Nil:
		return names.Member(member)
	case a.OnBehalfOf != nil:
		return names.Practitioner(*a.OnBehalfOf), nil
	case a.Kind == ByApplication:
		return "", nil
	case a.Kind == ByOperator:
		return "an operator (" + a.ID + ")", nil
	case a.Kind == ByDisplay:
		return "a screen in the waiting room", nil
	}
	return "the service itself", nil
}

// plainLimit is the number of characters that are kept of a name from a machine.
const plainLimit = 128

// plain returns a name that stays one word of the audit log, whatever its source:
// printable, without the brackets that [Actor.String] adds, and not too long.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError || strings.ContainsRune("()", r) {
			return '?'
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > plainLimit {
		return string(runes[:plainLimit])
	}
	return name
}

// OnBehalfOf is a token's act claim. The application's statement is not verified; it is
// kept for auditors. The organisation, the role and the purpose are shared by many
// people and are no personal data, so an erasure leaves them.
type OnBehalfOf struct {
	Practitioner Practitioner `json:"practitioner"`
	Organisation Organisation `json:"organisation"`
	Role         string       `json:"role,omitempty"`    // in which the practitioner acts
	Purpose      string       `json:"purpose,omitempty"` // for which the call is made
}

// Practitioner is the person of an act claim.
type Practitioner struct {
	Name      string `json:"name" personal:"practitioner"`
	Email     string `json:"email" personal:"practitioner"`
	GMCNumber string `json:"gmcNumber,omitempty" personal:"practitioner"`
}

// Organisation is the organisation of an act claim.
type Organisation struct {
	Name    string `json:"name"`
	ODSCode string `json:"odsCode,omitempty"`
}
