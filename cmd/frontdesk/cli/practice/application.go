package practice

import (
	"context"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
)

// ApplicationCommands are the verbs of applications.
type ApplicationCommands struct {
	List                listApplicationsCmd    `cmd:"" help:"List all applications, or those of one practice."`
	Export              exportApplicationCmd   `cmd:"" help:"Export an application in the form of apply." detail:"The output is YAML that matches the application as it is. It has the complete URLs of its webhooks: some receivers keep a secret in the query."`
	Register            registerApplicationCmd `cmd:"" help:"Register an application for all practices."`
	Enable              enableApplicationCmd   `cmd:"" help:"Enable an application at a practice."`
	Disable             disableApplicationCmd  `cmd:"" help:"Disable an application at a practice." detail:"Its calls to the practice are refused at once."`
	Grant               grantEndpointCmd       `cmd:"" help:"Grant an application an endpoint in one mode."`
	Revoke              revokeEndpointCmd      `cmd:"" help:"Revoke an application's endpoint in one mode." detail:"It takes effect at once."`
	SetJWKSURL          setJWKSURLCmd          `cmd:"" name:"set-jwks-url" help:"Set the URL of an application's key set."`
	RereadKeySet        rereadKeySetCmd        `cmd:"" help:"Read an application's key set again." detail:"Every process reads it again. The previous keys are no longer used."`
	AddCallback         addCallbackCmd         `cmd:"" help:"Add a callback URL." detail:"Staff may be sent to it after approval."`
	RemoveCallback      removeCallbackCmd      `cmd:"" help:"Remove a callback URL."`
	MarkPatientScoped   markPatientScopedCmd   `cmd:"" help:"Mark an application as patient-scoped." detail:"It is then an integration with patient-scoped authorisations."`
	UnmarkPatientScoped unmarkPatientScopedCmd `cmd:"" help:"Unmark an application as patient-scoped."`
}

// AuthorisationCommands are the verbs of user authorisations.
type AuthorisationCommands struct {
	List            listAuthorisationsCmd              `cmd:"" help:"List a practice's current authorisations."`
	Grant           grantUserAuthorisationCmd          `cmd:"" help:"Authorise an application to act for staff." detail:"It may act for one member of staff, for 12 hours unless --authorisation-lifetime sets another time."`
	GrantForPatient grantPatientScopedAuthorisationCmd `cmd:"" help:"Authorise an application for one patient only." detail:"It may act for one member of staff, for one patient only."`
	Revoke          revokeUserAuthorisationCmd         `cmd:"" help:"End an authorisation at once."`
}

type registerApplicationCmd struct {
	term.EngineFlags `embed:""`
	term.NetworkFlag `embed:""`
	Name             string         `required:"" help:"The application's name, as staff will see it."`
	JWKSURL          string         `name:"jwks-url" required:"" placeholder:"URL" help:"Where its public keys are."`
	Application      application.ID `placeholder:"UUID" help:"The application's identifier; without it, one is minted."`
	Callback         []string       `sep:"none" placeholder:"URL" help:"Address that staff may be sent to after approval; may be repeated."`
	PatientScoped    bool           `help:"The application is an integration with patient-scoped authorisations."`
}

func (c *registerApplicationCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{AllowNetwork: c.AllowNetwork}, "", func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		id, err := desk.RegisterApplication(ctx, commands.RegisterApplication{
			Application: c.Application, Name: c.Name, JWKSURL: c.JWKSURL, Callbacks: c.Callback, PatientScoped: c.PatientScoped,
		})
		return term.Made{"applicationId": id}, err
	})
}

type setJWKSURLCmd struct {
	term.EngineFlags `embed:""`
	term.NetworkFlag `embed:""`
	Application      application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
	JWKSURL          string         `name:"jwks-url" required:"" placeholder:"URL" help:"Where its public keys are."`
}

func (c *setJWKSURLCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{AllowNetwork: c.AllowNetwork}, "", func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		return nil, desk.SetJWKSURL(ctx, commands.SetJWKSURL{Application: c.Application, JWKSURL: c.JWKSURL})
	})
}

type rereadKeySetCmd struct {
	term.ApplicationFlags `embed:""`
}

// Run reads nothing itself: each process reads the set when the application next calls.
// If it cannot be read then, the application's calls are refused until it can.
func (c *rereadKeySetCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{}, "", func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		at, err := desk.RereadKeySet(ctx, commands.RereadKeySet{Application: c.Application})
		return term.Made{"rereadAt": at}, err
	})
}

// callbackFlags name an address of an application.
type callbackFlags struct {
	term.ApplicationFlags `embed:""`
	Callback              string `required:"" placeholder:"URL" help:"The address."`
}

type addCallbackCmd struct {
	callbackFlags `embed:""`
}

func (c *addCallbackCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, "", commands.Desk.AddCallback, commands.AddCallback{Application: c.Application, Callback: c.Callback})
}

type removeCallbackCmd struct {
	callbackFlags    `embed:""`
	term.TakingFlags `embed:""`
}

func (c *removeCallbackCmd) Run(r *term.Run) error {
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.RemoveCallback]{
		Follows: "Staff are no longer redirected to this URL.",
		Intent:  commands.Desk.RemoveCallback, Given: commands.RemoveCallback{Application: c.Application, Callback: c.Callback},
	})
}

type markPatientScopedCmd struct {
	term.ApplicationFlags `embed:""`
	term.TakingFlags      `embed:""`
}

func (c *markPatientScopedCmd) Run(r *term.Run) error {
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.MarkPatientScoped]{
		Follows: "Staff can then authorise the application only for one patient at a time.",
		Intent:  commands.Desk.MarkPatientScoped, Given: commands.MarkPatientScoped{Application: c.Application},
	})
}

type unmarkPatientScopedCmd struct {
	term.ApplicationFlags `embed:""`
}

func (c *unmarkPatientScopedCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, "", commands.Desk.UnmarkPatientScoped, commands.UnmarkPatientScoped{Application: c.Application})
}

// grantFlags name the endpoints and modes of a grant.
type grantFlags struct {
	term.ApplicationFlags `embed:""`
	Endpoint              application.EndpointName `required:"" help:"The endpoint, such as create-patient-request."`
	Mode                  application.Mode         `required:"" help:"application-restricted or user-restricted."`
}

func (f grantFlags) grant() application.Grant {
	return application.Grant{Endpoint: f.Endpoint, Mode: f.Mode}
}

type grantEndpointCmd struct {
	grantFlags `embed:""`
}

func (c *grantEndpointCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, "", commands.Desk.GrantEndpoint, commands.GrantEndpoint{Application: c.Application, Grant: c.grant()})
}

type revokeEndpointCmd struct {
	grantFlags       `embed:""`
	term.TakingFlags `embed:""`
}

func (c *revokeEndpointCmd) Run(r *term.Run) error {
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.RevokeEndpoint]{
		Follows: "The application can no longer call this endpoint in this mode, at any practice.",
		Intent:  commands.Desk.RevokeEndpoint, Given: commands.RevokeEndpoint{Application: c.Application, Grant: c.grant()},
	})
}

type grantUserAuthorisationCmd struct {
	term.EngineFlags  `embed:""`
	term.LifetimeFlag `embed:""`
	Tenant            string         `required:"" help:"The practice's tenant identifier."`
	Application       application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
	Username          string         `required:"" help:"The username of the member of staff."`
}

func (c *grantUserAuthorisationCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{AuthorisationLifetime: c.AuthorisationLifetime}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		expiresAt, err := desk.GrantUserAuthorisation(ctx, commands.GrantUserAuthorisation{
			Tenant: c.Tenant, Application: c.Application, Username: c.Username,
		})
		return term.Made{"expiresAt": expiresAt}, err
	})
}

type grantPatientScopedAuthorisationCmd struct {
	term.EngineFlags  `embed:""`
	term.LifetimeFlag `embed:""`
	Tenant            string         `required:"" help:"The practice's tenant identifier."`
	Application       application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
	Username          string         `required:"" help:"The username of the member of staff."`
	Patient           patient.ID     `required:"" placeholder:"UUID" help:"The patient's identifier."`
}

func (c *grantPatientScopedAuthorisationCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{AuthorisationLifetime: c.AuthorisationLifetime}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		expiresAt, err := desk.GrantPatientScopedAuthorisation(ctx, commands.GrantPatientScopedAuthorisation{
			Tenant: c.Tenant, Application: c.Application, Username: c.Username, Patient: c.Patient,
		})
		return term.Made{"expiresAt": expiresAt}, err
	})
}

type revokeUserAuthorisationCmd struct {
	enablementFlags  `embed:""`
	Username         string     `required:"" help:"The username of the member of staff."`
	Patient          patient.ID `placeholder:"UUID" help:"The patient of a patient-scoped authorisation. Without it, the authorisation for all patients is revoked."`
	term.TakingFlags `embed:""`
}

func (c *revokeUserAuthorisationCmd) Run(r *term.Run) error {
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.RevokeUserAuthorisation]{
		Tenant: c.Tenant, Follows: "The application can no longer act for them.",
		Intent: commands.Desk.RevokeUserAuthorisation, Given: commands.RevokeUserAuthorisation{Tenant: c.Tenant, Application: c.Application, Username: c.Username, Patient: c.Patient},
	})
}
