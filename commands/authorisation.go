package commands

import (
	"context"
	"errors"
	"time"

	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// GrantUserAuthorisation lets an application act for a member of staff, for all
// patients.
type GrantUserAuthorisation struct {
	Tenant      string
	Application application.ID
	Username    string
}

// GrantUserAuthorisation returns the instant at which the authorisation ends,
// exclusive. A repeated grant begins a new lifetime.
func (d Desk) GrantUserAuthorisation(ctx context.Context, c GrantUserAuthorisation) (expiresAt time.Time, err error) {
	subject, err := d.subject(ctx, c.Tenant, c.Application, c.Username)
	if err != nil {
		return time.Time{}, err
	}
	return d.authorise(ctx, c.Tenant, subject)
}

// GrantPatientScopedAuthorisation lets an application act for a member of staff, for
// one patient only. Operators grant it, only to applications that are marked for it.
type GrantPatientScopedAuthorisation struct {
	Tenant      string
	Application application.ID
	Username    string
	Patient     patient.ID
}

// GrantPatientScopedAuthorisation returns the instant at which the
// authorisation ends, exclusive.
func (d Desk) GrantPatientScopedAuthorisation(ctx context.Context, c GrantPatientScopedAuthorisation) (expiresAt time.Time, err error) {
	subject, err := d.subject(ctx, c.Tenant, c.Application, c.Username)
	if err != nil {
		return time.Time{}, err
	}
	app, err := Load[application.Application](ctx, d.Store, application.StreamOf(c.Application))
	if err != nil {
		return time.Time{}, err
	}
	if err := app.TakesPatientScope(); err != nil {
		return time.Time{}, err
	}
	p, err := Load[patient.Patient](ctx, d.Store, patient.StreamOf(c.Tenant, c.Patient))
	if err != nil {
		return time.Time{}, err
	}
	if err := p.Known(); err != nil {
		return time.Time{}, err
	}
	subject.Patient = c.Patient
	return d.authorise(ctx, c.Tenant, subject)
}

// RevokeUserAuthorisation ends an authorisation before it expires.
type RevokeUserAuthorisation struct {
	Tenant      string
	Application application.ID
	Username    string
	Patient     patient.ID // zero for the standing authorisation
}

// RevokeUserAuthorisation takes effect with the next call.
func (d Desk) RevokeUserAuthorisation(ctx context.Context, c RevokeUserAuthorisation) error {
	subject, err := d.subject(ctx, c.Tenant, c.Application, c.Username)
	if err != nil {
		return err
	}
	subject.Patient = c.Patient
	return d.revoke(ctx, c.Tenant, subject, "")
}

func (d Desk) revoke(ctx context.Context, tenant string, s authorisation.Subject, why authorisation.Reason) error {
	return Update(ctx, d.Store, authorisation.StreamOf(tenant, s), func(a authorisation.Authorisation) ([]event.Event, error) {
		return a.Revoke(s, d.Now(), why)
	})
}

// revokeAll revokes all authorisations of a member of staff, and returns them. It
// leaves out those that have ended in the meantime.
func (d Desk) revokeAll(ctx context.Context, tenant string, member staff.ID, why authorisation.Reason) (revoked []authorisation.Subject, err error) {
	given, err := d.Staff.AuthorisationsOf(ctx, tenant, member, d.Now())
	if err != nil {
		return nil, err
	}
	for _, s := range given {
		err := d.revoke(ctx, tenant, s, why)
		if errors.Is(err, authorisation.ErrNone) {
			continue
		}
		if err != nil {
			return revoked, err
		}
		revoked = append(revoked, s)
	}
	return revoked, nil
}

// subject returns the subject of a standing authorisation. It refuses unless the
// practice, the application and the member of staff exist.
func (d Desk) subject(ctx context.Context, tenant string, app application.ID, username string) (authorisation.Subject, error) {
	if err := d.knowBoth(ctx, tenant, app); err != nil {
		return authorisation.Subject{}, err
	}
	member, err := d.Staff.StaffByUsername(ctx, tenant, username)
	return authorisation.Subject{Staff: member, Application: app}, err
}

// authorise grants an authorisation and returns its end.
func (d Desk) authorise(ctx context.Context, tenant string, s authorisation.Subject) (expiresAt time.Time, err error) {
	err = Update(ctx, d.Store, authorisation.StreamOf(tenant, s), func(a authorisation.Authorisation) ([]event.Event, error) {
		granted := a.Grant(s, d.Now(), d.AuthorisationLifetime)
		expiresAt = granted.ExpiresAt
		return []event.Event{granted}, nil
	})
	return expiresAt, err
}
