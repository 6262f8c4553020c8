package commands

import (
	"context"
	"fmt"
	"time"

	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
)

// GrantUserAuthorisation lets an application act for a member of staff,
// without a limit to one patient (§5.4).
type GrantUserAuthorisation struct {
	Tenant      string
	Application application.ID
	Username    string
}

// GrantUserAuthorisationHandler handles [GrantUserAuthorisation].
type GrantUserAuthorisationHandler struct {
	Store    Store
	Staff    StaffDirectory
	Now      Clock
	Lifetime time.Duration // 12 h (§8)
}

// Handle grants the authorisation and returns the instant at which it ends,
// exclusive (D13).
func (h GrantUserAuthorisationHandler) Handle(ctx context.Context, c GrantUserAuthorisation) (expiresAt time.Time, err error) {
	subject, err := subjectOf(ctx, h.Store, h.Staff, c.Tenant, c.Application, c.Username)
	if err == nil {
		expiresAt, err = grant(ctx, h.Store, c.Tenant, subject, h.Now(), h.Lifetime)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("grant user authorisation: %w", err)
	}
	return expiresAt, nil
}

// subjectOf is whose authorisation it is, once both sides are known.
func subjectOf(ctx context.Context, store Store, directory StaffDirectory,
	tenant string, app application.ID, username string,
) (authorisation.Subject, error) {
	if err := knowBoth(ctx, store, tenant, app); err != nil {
		return authorisation.Subject{}, err
	}
	member, err := directory.StaffByUsername(ctx, tenant, username)
	return authorisation.Subject{Staff: member, Application: app}, err
}

func grant(ctx context.Context, store Store, tenant string, subject authorisation.Subject, now time.Time, lifetime time.Duration,
) (expiresAt time.Time, err error) {
	stream := authorisation.StreamOf(tenant, subject)
	err = Update(ctx, store, stream, func(a authorisation.Authorisation) ([]event.Event, error) {
		granted := a.Grant(subject, now, lifetime)
		expiresAt = granted.ExpiresAt
		return []event.Event{granted}, nil
	})
	return expiresAt, err
}
