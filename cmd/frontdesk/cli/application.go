package cli

import (
	"context"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

type registerApplicationCmd struct {
	engineFlags   `embed:""`
	networkFlag   `embed:""`
	Name          string   `required:"" help:"The application's name, as staff will see it."`
	JWKSURL       string   `name:"jwks-url" required:"" placeholder:"URL" help:"Where its public keys are."`
	Callback      []string `sep:"none" placeholder:"URL" help:"Address that staff may be sent to after approval; may be repeated."`
	PatientScoped bool     `help:"It is an integration with patient-scoped authorisations."`
}

// Run carries the command out.
func (c *registerApplicationCmd) Run(r *run) error {
	return c.do(r, app.Config{AllowNetwork: c.AllowNetwork}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		id, err := desk.RegisterApplication(ctx, commands.RegisterApplication{
			Name: c.Name, JWKSURL: c.JWKSURL, Callbacks: c.Callback, PatientScoped: c.PatientScoped,
		})
		return made{"applicationId": id}, err
	})
}

type setJWKSURLCmd struct {
	engineFlags `embed:""`
	networkFlag `embed:""`
	Application application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
	JWKSURL     string         `name:"jwks-url" required:"" placeholder:"URL" help:"Where its public keys are."`
}

// Run carries the command out.
func (c *setJWKSURLCmd) Run(r *run) error {
	return c.do(r, app.Config{AllowNetwork: c.AllowNetwork}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.SetJWKSURL(ctx, commands.SetJWKSURL{Application: c.Application, JWKSURL: c.JWKSURL})
	})
}

type addCallbackCmd struct {
	engineFlags `embed:""`
	Application application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
	Callback    string         `required:"" placeholder:"URL" help:"The address."`
}

// Run carries the command out.
func (c *addCallbackCmd) Run(r *run) error {
	return c.do(r, app.Config{}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.AddCallback(ctx, commands.AddCallback{Application: c.Application, Callback: c.Callback})
	})
}

type removeCallbackCmd struct {
	engineFlags `embed:""`
	Application application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
	Callback    string         `required:"" placeholder:"URL" help:"The address."`
}

// Run carries the command out.
func (c *removeCallbackCmd) Run(r *run) error {
	return c.do(r, app.Config{}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.RemoveCallback(ctx, commands.RemoveCallback{Application: c.Application, Callback: c.Callback})
	})
}

type markPatientScopedCmd struct {
	engineFlags `embed:""`
	Application application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
}

// Run carries the command out.
func (c *markPatientScopedCmd) Run(r *run) error {
	return c.do(r, app.Config{}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.MarkPatientScoped(ctx, commands.MarkPatientScoped{Application: c.Application})
	})
}

type unmarkPatientScopedCmd struct {
	engineFlags `embed:""`
	Application application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
}

// Run carries the command out.
func (c *unmarkPatientScopedCmd) Run(r *run) error {
	return c.do(r, app.Config{}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.UnmarkPatientScoped(ctx, commands.UnmarkPatientScoped{Application: c.Application})
	})
}
