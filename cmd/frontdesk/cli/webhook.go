package cli

import (
	"context"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"frontdesk/adapters/webhooks"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

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
	DeliveryRetention time.Duration `default:"${delivery_retention}" help:"How long it is kept how webhooks went."`
}

// webhookDefaults are the limits that hold if the flags are not given.
func webhookDefaults() kong.Vars {
	return kong.Vars{
		"call_in_age":        short(webhooks.DefaultCallInAge),
		"webhook_age":        short(webhooks.DefaultAge),
		"webhook_timeout":    short(webhooks.DefaultTimeout),
		"delivery_retention": short(webhooks.DefaultRetention),
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
