package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"frontdesk/adapters/webhooks"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/sandbox"
	"frontdesk/cmd/frontdesk/trigger"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// registrationCommands are what can be typed about the webhooks of an application.
type registrationCommands struct {
	ListWebhooks  listWebhooksCmd  `cmd:"" group:"application" help:"List where applications are told of events."`
	SetWebhook    setWebhookCmd    `cmd:"" group:"application" help:"Say where an application is told of events of one kind."`
	RemoveWebhook removeWebhookCmd `cmd:"" group:"application" help:"Tell it of them no more."`
	TestWebhook   testWebhookCmd   `cmd:"" group:"application" help:"Send a ping to where an application is told of events of one kind."`
}

type webhookCmd struct {
	Listen  webhookListenCmd  `cmd:"" help:"Receive webhooks on this machine, verify and print them."`
	Trigger webhookTriggerCmd `cmd:"" help:"Make an event happen, so that its webhook is sent as in earnest."`
	Verify  webhookVerifyCmd  `cmd:"" help:"Verify a webhook as a receiver does, and show what is in it."`
}

// webhookFlags are the limits of webhooks.
type webhookFlags struct {
	CallInAgeLimit    time.Duration `default:"${call_in_age}" help:"Call-in events that are older are not told any more."`
	WebhookAgeLimit   time.Duration `default:"${webhook_age}" help:"Other events that are older are not told any more."`
	WebhookTimeout    time.Duration `default:"${webhook_timeout}" help:"How long one webhook may take, its answer included."`
	DeliveryRetention time.Duration `default:"${delivery_retention}" help:"How long every detail is kept of how webhooks went. Who was told of what is kept as long as the access record."`
}

// webhookDefaults are the limits that hold if the flags are not given, and the
// event kinds that can be given.
func webhookDefaults() map[string]string {
	return map[string]string{
		"call_in_age":        short(webhooks.DefaultCallInAge),
		"webhook_age":        short(webhooks.DefaultAge),
		"webhook_timeout":    short(webhooks.DefaultTimeout),
		"delivery_retention": short(webhooks.DefaultRetention),
		"webhook_kinds":      application.WebhookNames(),
	}
}

// short writes 2m for 2m0s, and 720h for 720h0m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func (f webhookFlags) apply(c *app.Config) {
	c.CallInAgeLimit, c.WebhookAgeLimit = f.CallInAgeLimit, f.WebhookAgeLimit
	c.WebhookTimeout, c.DeliveryRetention = f.WebhookTimeout, f.DeliveryRetention
}

type setWebhookCmd struct {
	engineFlags `embed:""`
	networkFlag `embed:""`
	Application application.ID           `required:"" placeholder:"UUID" help:"The application's identifier."`
	Event       application.WebhookEvent `required:"" help:"The event kind, such as record.opened."`
	URL         string                   `required:"" placeholder:"URL" help:"Where it is told of them; https only."`
}

func (c *setWebhookCmd) Run(r *run) error {
	return c.do(r, app.Config{AllowNetwork: c.AllowNetwork}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.SetWebhook(ctx, commands.SetWebhook{Application: c.Application, Event: c.Event, URL: c.URL})
	})
}

type removeWebhookCmd struct {
	applicationFlags `embed:""`
	Event            application.WebhookEvent `required:"" help:"The event kind, such as record.opened."`
}

func (c *removeWebhookCmd) Run(r *run) error {
	return change(r, c.engineFlags, "", commands.Desk.RemoveWebhook, commands.RemoveWebhook{Application: c.Application, Event: c.Event})
}

type testWebhookCmd struct {
	enablementFlags `embed:""`
	Event           application.WebhookEvent `required:"" help:"The event kind whose address the ping is sent to, such as record.opened."`
}

func (c *testWebhookCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		test, err := desk.TestWebhook(ctx, commands.TestWebhook{Tenant: c.Tenant, Application: c.Application, Event: c.Event})
		return made{"jti": test.ID, "url": application.Shown(test.URL)}, err
	})
}

type webhookTriggerCmd struct {
	Event       application.WebhookEvent `arg:"" help:"${webhook_kinds}."`
	Dir         string                   `default:".frontdesk" type:"folder" placeholder:"DIR" help:"The sandbox to do it in."`
	DatabaseURL string                   `elsewhere:"tenant" placeholder:"URL" help:"Another service to do it in; then name the practice, the patient and the site, too."`
	Tenant      string                   `help:"The practice's tenant identifier."`
	Patient     patient.ID               `placeholder:"UUID" help:"The patient whom the event is about."`
	Site        site.ID                  `placeholder:"UUID" help:"Where the patient is called in."`
	Room        site.RoomID              `placeholder:"UUID" help:"The room the patient is called into."`
	As          string                   `placeholder:"USERNAME" help:"The member of staff whom you act for."`
	JSON        bool                     `name:"json" help:"Print one JSON object."`
}

// Run makes the event happen. Nothing is simulated: the event is in the log like
// any other.
func (c *webhookTriggerCmd) Run(r *run) error {
	if c.DatabaseURL == "" {
		if err := c.inSandbox(); err != nil {
			return err
		}
	}
	if c.Tenant == "" || c.Patient == (patient.ID{}) {
		return errors.New("with --database-url, give --tenant and --patient, too; and --site for a call-in")
	}
	flags := engineFlags{databaseFlag: databaseFlag{c.DatabaseURL}, As: c.As, JSON: c.JSON}
	pull := trigger.Trigger{Tenant: c.Tenant, Patient: c.Patient, Site: c.Site, Room: c.Room}.Pull
	return flags.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		it, err := pull(ctx, desk, c.Event)
		return made(it), err
	})
}

// inSandbox fills in from the sandbox what was not given.
func (c *webhookTriggerCmd) inSandbox() error {
	info, err := sandbox.ReadInfo(c.Dir)
	if err != nil {
		return err
	}
	if len(info.Patients) == 0 || len(info.Sites) == 0 || len(info.Rooms) == 0 {
		return fmt.Errorf("the sandbox in %s has nobody to call in", c.Dir)
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
	return nil
}
