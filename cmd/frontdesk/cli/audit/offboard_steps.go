package audit

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// offboarding ends the access of applications to a practice. Each step changes nothing if
// there is nothing left to change.
type offboarding struct {
	engine *app.Engine
	tenant string
}

func (o offboarding) run(ctx context.Context) (offboarded, error) {
	done := offboarded{Tenant: o.tenant, Applications: []string{}}
	if err := o.disable(ctx, &done); err != nil {
		return done, err
	}
	if err := o.revoke(ctx, &done); err != nil {
		return done, err
	}
	if err := o.engine.Drain(ctx); err != nil {
		return done, fmt.Errorf("the events are stored and will reach the log as soon as a server runs: %w", err)
	}
	return done, nil
}

// disable disables all applications, and counts the pending webhooks that end with it.
func (o offboarding) disable(ctx context.Context, done *offboarded) error {
	enabled := term.Register[projections.RegisteredApplication]{Next: func(after projections.RegisteredApplication) ([]projections.RegisteredApplication, error) {
		return o.engine.Registers().Applications(ctx, o.tenant, after, term.TableLines)
	}}
	for a, err := range enabled.Items() {
		if err != nil {
			return err
		}
		stakes, err := o.engine.Offers().Stakes(ctx, o.tenant, a.Application, o.engine.Desk.Now())
		if err != nil {
			return err
		}
		if err := o.engine.Desk.DisableApplication(ctx, commands.DisableApplication{Tenant: o.tenant, Application: a.Application}); err != nil {
			return err
		}
		done.Webhooks += stakes.Deliveries
		done.Applications = append(done.Applications, a.Application.String())
	}
	return nil
}

// revoke ends authorisations, once no new one can count. Those of staff who have left count
// for nothing, and are revoked in case they come back (D64).
func (o offboarding) revoke(ctx context.Context, done *offboarded) error {
	now := o.engine.Desk.Now()
	running := term.Register[projections.RunningAuthorisation]{Next: func(after projections.RunningAuthorisation) ([]projections.RunningAuthorisation, error) {
		return o.engine.Registers().Authorisations(ctx, o.tenant, now, after, term.TableLines)
	}}
	for a, err := range running.Items() {
		if err != nil {
			return err
		}
		err := o.engine.Desk.RevokeUserAuthorisation(ctx, commands.RevokeUserAuthorisation{
			Tenant: o.tenant, Application: a.Application, Username: a.Username, Patient: a.Patient,
		})
		switch {
		case err == nil:
			done.Authorisations++
		case !isAny(err, staff.ErrUnknown, authorisation.ErrNone):
			return err
		}
	}
	return nil
}

// isAny reports whether an error is one of these refusals.
func isAny(err error, refusals ...*fault.Error) bool {
	for _, refusal := range refusals {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}
