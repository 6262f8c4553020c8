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

func (c *setJWKSURLCmd) Run(r *run) error {
	return c.do(r, app.Config{AllowNetwork: c.AllowNetwork}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.SetJWKSURL(ctx, commands.SetJWKSURL{Application: c.Application, JWKSURL: c.JWKSURL})
	})
}

// callbackFlags name an address of an application.
type callbackFlags struct {
	applicationFlags `embed:""`
	Callback         string `required:"" placeholder:"URL" help:"The address."`
}

type addCallbackCmd struct {
	callbackFlags `embed:""`
}

func (c *addCallbackCmd) Run(r *run) error {
	return change(r, c.engineFlags, "", commands.Desk.AddCallback, commands.AddCallback{Application: c.Application, Callback: c.Callback})
}

type removeCallbackCmd struct {
	callbackFlags `embed:""`
}

func (c *removeCallbackCmd) Run(r *run) error {
	return change(r, c.engineFlags, "", commands.Desk.RemoveCallback, commands.RemoveCallback{Application: c.Application, Callback: c.Callback})
}

type markPatientScopedCmd struct {
	applicationFlags `embed:""`
}

func (c *markPatientScopedCmd) Run(r *run) error {
	return change(r, c.engineFlags, "", commands.Desk.MarkPatientScoped, commands.MarkPatientScoped{Application: c.Application})
}

type unmarkPatientScopedCmd struct {
	applicationFlags `embed:""`
}

func (c *unmarkPatientScopedCmd) Run(r *run) error {
	return change(r, c.engineFlags, "", commands.Desk.UnmarkPatientScoped, commands.UnmarkPatientScoped{Application: c.Application})
}

// grantFlags name what an application may call.
type grantFlags struct {
	applicationFlags `embed:""`
	Endpoint         application.Endpoint `required:"" help:"The endpoint, such as create-patient-request."`
	Mode             application.Mode     `required:"" help:"application-restricted or user-restricted."`
}

func (f grantFlags) grant() application.Grant {
	return application.Grant{Endpoint: f.Endpoint, Mode: f.Mode}
}

type grantEndpointCmd struct {
	grantFlags `embed:""`
}

func (c *grantEndpointCmd) Run(r *run) error {
	return change(r, c.engineFlags, "", commands.Desk.GrantEndpoint, commands.GrantEndpoint{Application: c.Application, Grant: c.grant()})
}

type revokeEndpointCmd struct {
	grantFlags `embed:""`
}

func (c *revokeEndpointCmd) Run(r *run) error {
	return change(r, c.engineFlags, "", commands.Desk.RevokeEndpoint, commands.RevokeEndpoint{Application: c.Application, Grant: c.grant()})
}
