package commands

import (
	"context"
	"fmt"
	"time"

	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/patient"
)

// GrantPatientScopedAuthorisation lets an application act for a member of
// staff on one patient alone. The service sets it up, for integrations marked
// for it (§5.5).
type GrantPatientScopedAuthorisation struct {
	Tenant      string
	Application application.ID
	Username    string
	Patient     patient.ID
}

// GrantPatientScopedAuthorisationHandler handles [GrantPatientScopedAuthorisation].
type GrantPatientScopedAuthorisationHandler struct {
	Store    Store
	Staff    StaffDirectory
	Now      Clock
	Lifetime time.Duration // 12 h (§8)
}

// Handle grants the authorisation and returns the instant at which it ends,
// exclusive (D13).
func (h GrantPatientScopedAuthorisationHandler) Handle(
	ctx context.Context, c GrantPatientScopedAuthorisation,
) (expiresAt time.Time, err error) {
	subject, err := h.subject(ctx, c)
	if err == nil {
		expiresAt, err = grant(ctx, h.Store, c.Tenant, subject, h.Now(), h.Lifetime)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("grant patient-scoped authorisation: %w", err)
	}
	return expiresAt, nil
}

func (h GrantPatientScopedAuthorisationHandler) subject(
	ctx context.Context, c GrantPatientScopedAuthorisation,
) (authorisation.Subject, error) {
	subject, err := subjectOf(ctx, h.Store, h.Staff, c.Tenant, c.Application, c.Username)
	if err != nil {
		return subject, err
	}
	app, err := Load[application.Application](ctx, h.Store, application.StreamOf(c.Application))
	if err == nil {
		err = app.TakesPatientScope()
	}
	if err != nil {
		return subject, err
	}
	p, err := Load[patient.Patient](ctx, h.Store, patient.StreamOf(c.Tenant, c.Patient))
	if err == nil {
		err = p.Known()
	}
	subject.Patient = c.Patient
	return subject, err
}
