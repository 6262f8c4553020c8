package integrate

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/cmd/frontdesk/devkit/trigger"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// WebhookCommands receives, triggers and verifies webhooks.
type WebhookCommands struct {
	Listen  webhookListenCmd  `cmd:"" help:"Receive, verify and print webhooks." detail:"It listens on this machine."`
	Trigger webhookTriggerCmd `cmd:"" sandboxonly:"" help:"Trigger an event and send its webhook."`
	Verify  webhookVerifyCmd  `cmd:"" help:"Verify a webhook and show its content." detail:"It verifies as a receiver does."`
}

type webhookTriggerCmd struct {
	Event               application.WebhookEvent `arg:"" help:"${webhook_kinds}."`
	Dir                 string                   `default:".frontdesk" type:"folder" placeholder:"DIR" help:"The sandbox that the event happens in."`
	DatabaseURL         string                   `elsewhere:"tenant" placeholder:"URL" help:"The database of another sandbox that the event happens in. It needs --tenant, --patient and --site."`
	Tenant              string                   `help:"The practice's tenant identifier."`
	Patient             patient.ID               `placeholder:"UUID" help:"The patient that the event is about."`
	Site                site.ID                  `placeholder:"UUID" help:"Where the patient is called in."`
	Room                site.RoomID              `placeholder:"UUID" help:"The room the patient is called into."`
	Application         application.ID           `placeholder:"UUID" help:"The application whose request is answered."`
	As                  string                   `placeholder:"USERNAME" help:"The member of staff that you act for."`
	term.MasterKeyFlags `embed:""`
	JSON                bool `name:"json" help:"Print one JSON object."`
}

// Run makes the event happen. Nothing is simulated: the event is in the log like
// any other.
func (c *webhookTriggerCmd) Run(r *term.Run) error {
	if c.DatabaseURL == "" {
		if err := c.inSandbox(); err != nil {
			return err
		}
	}
	if c.Tenant == "" || c.Patient == (patient.ID{}) {
		return errors.New("with --database-url, also give --tenant and --patient; --site for a call-in; and --application, --as and a master key for an answer")
	}
	master, err := c.Given(r)
	if err != nil {
		return err
	}
	flags := term.EngineFlags{DatabaseFlag: term.DatabaseFlag{DatabaseURL: c.DatabaseURL}, As: c.As, JSON: c.JSON}
	pull := trigger.Trigger{Tenant: c.Tenant, Patient: c.Patient, Site: c.Site, Room: c.Room, Application: c.Application, By: c.As}.Pull
	return flags.Do(r, app.Config{MasterKeys: master}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		it, err := pull(ctx, desk, c.Event)
		return term.Made(it), err
	})
}

// inSandbox takes the values that were not given from the sandbox.
func (c *webhookTriggerCmd) inSandbox() error {
	info, err := sandbox.ReadInfo(c.Dir)
	if err != nil {
		return err
	}
	if len(info.Patients) == 0 || len(info.Sites) == 0 || len(info.Rooms) == 0 {
		return fmt.Errorf("the sandbox in %s has no patient to call in", c.Dir)
	}
	sandbox.ForgetDatabases()
	c.DatabaseURL, c.Tenant = info.DatabaseURL, info.TenantID
	if c.Patient == (patient.ID{}) {
		c.Patient = info.Patients[0].ID
	}
	if c.Site == (site.ID{}) {
		c.Site, c.Room = info.Sites[0].ID, info.Rooms[0].ID
	}
	if c.As == "" {
		c.As = info.Staff.Username
	}
	if c.Application == (application.ID{}) {
		c.Application = info.Application.ID
	}
	c.MasterKeyFile = info.MasterKeyFile
	return nil
}
