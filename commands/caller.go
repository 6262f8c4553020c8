package commands

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Caller is the application behind a call: proven by its token and allowed by
// its tenant to call the endpoint in its mode (D1, steps 2 to 5).
type Caller struct {
	Tenant      string
	Application application.ID
	Mode        application.Mode
	Act         *event.OnBehalfOf // nil without an act claim
	TokenHash   [32]byte          // SHA-256 of the token, for the access record (D37)

	// Of a user-restricted call; zero in application-restricted mode.
	Username        string
	Staff           staff.ID
	AuthorisedUntil time.Time    // end of the standing authorisation; zero when there is none
	Patients        []patient.ID // patients of the current patient-scoped authorisations
}

// ErrWrongPatient is the refusal of §5.5: only patient-scoped authorisations
// exist, and none of them names the patient of the call.
var ErrWrongPatient = fault.New(fault.Forbidden, "patient-not-authorised",
	"The app is not currently authorised to request as the specified user for this patient")

// Scoped reports whether the caller may act on the patients of its
// patient-scoped authorisations only (D12).
func (c Caller) Scoped() bool {
	return c.Mode == application.UserRestricted && c.AuthorisedUntil.IsZero()
}

// CheckPatient refuses with [ErrWrongPatient] when the caller's scope does not
// cover the patient, given as the call wrote it (§5.5, D12). A missing or
// malformed patient is not covered.
func (c Caller) CheckPatient(id string) error {
	if !c.Scoped() {
		return nil
	}
	covered := slices.ContainsFunc(c.Patients, func(p patient.ID) bool {
		return strings.EqualFold(p.String(), id)
	})
	if !covered {
		return ErrWrongPatient
	}
	return nil
}

// Actor is the caller as the events that it causes name it.
func (c Caller) Actor() event.Actor {
	actor := event.Actor{
		Kind:        event.ByApplication,
		ID:          c.Application.String(),
		Application: c.Application.UUID,
		Mode:        string(c.Mode),
		OnBehalfOf:  c.Act,
	}
	if c.Staff.UUID != uuid.Nil {
		actor.Kind, actor.ID = event.ByStaff, c.Staff.String()
	}
	return actor
}
