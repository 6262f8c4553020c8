package cli

import (
	"context"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
)

type grantUserAuthorisationCmd struct {
	engineFlags  `embed:""`
	lifetimeFlag `embed:""`
	Tenant       string         `required:"" help:"The practice's tenant identifier."`
	Application  application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
	Username     string         `required:"" help:"The username of the member of staff."`
}

func (c *grantUserAuthorisationCmd) Run(r *run) error {
	return c.do(r, app.Config{AuthorisationLifetime: c.AuthorisationLifetime}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		expiresAt, err := desk.GrantUserAuthorisation(ctx, commands.GrantUserAuthorisation{
			Tenant: c.Tenant, Application: c.Application, Username: c.Username,
		})
		return made{"expiresAt": expiresAt}, err
	})
}

type grantPatientScopedAuthorisationCmd struct {
	engineFlags  `embed:""`
	lifetimeFlag `embed:""`
	Tenant       string         `required:"" help:"The practice's tenant identifier."`
	Application  application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
	Username     string         `required:"" help:"The username of the member of staff."`
	Patient      patient.ID     `required:"" placeholder:"UUID" help:"The patient's identifier."`
}

func (c *grantPatientScopedAuthorisationCmd) Run(r *run) error {
	return c.do(r, app.Config{AuthorisationLifetime: c.AuthorisationLifetime}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		expiresAt, err := desk.GrantPatientScopedAuthorisation(ctx, commands.GrantPatientScopedAuthorisation{
			Tenant: c.Tenant, Application: c.Application, Username: c.Username, Patient: c.Patient,
		})
		return made{"expiresAt": expiresAt}, err
	})
}

type revokeUserAuthorisationCmd struct {
	enablementFlags `embed:""`
	Username        string     `required:"" help:"The username of the member of staff."`
	Patient         patient.ID `placeholder:"UUID" help:"The patient of a patient-scoped authorisation; without it, the standing one is revoked."`
}

func (c *revokeUserAuthorisationCmd) Run(r *run) error {
	return change(r, c.engineFlags, c.Tenant, commands.Desk.RevokeUserAuthorisation, commands.RevokeUserAuthorisation{
		Tenant: c.Tenant, Application: c.Application, Username: c.Username, Patient: c.Patient,
	})
}
