package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// RevokeUserAuthorisation ends an authorisation before its time. It holds for
// the very next call (D15).
type RevokeUserAuthorisation struct {
	Tenant      string
	Application application.ID
	Username    string
	Patient     patient.ID // zero: the standing authorisation
}

// RevokeUserAuthorisationHandler handles [RevokeUserAuthorisation].
type RevokeUserAuthorisationHandler struct {
	Store Store
	Staff StaffDirectory
	Now   Clock
}

// Handle revokes the authorisation, or returns the rule that refuses it.
func (h RevokeUserAuthorisationHandler) Handle(ctx context.Context, c RevokeUserAuthorisation) error {
	subject, err := subjectOf(ctx, h.Store, h.Staff, c.Tenant, c.Application, c.Username)
	if err == nil {
		subject.Patient = c.Patient
		stream := authorisation.StreamOf(c.Tenant, subject)
		err = Update(ctx, h.Store, stream, func(a authorisation.Authorisation) ([]event.Event, error) {
			return a.Revoke(subject, h.Now())
		})
	}
	if err != nil {
		return fmt.Errorf("revoke user authorisation: %w", err)
	}
	return nil
}
