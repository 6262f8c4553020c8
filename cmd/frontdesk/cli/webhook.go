package cli

import (
	"context"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

type setWebhookCmd struct {
	engineFlags `embed:""`
	networkFlag `embed:""`
	Application application.ID           `required:"" placeholder:"UUID" help:"The application's identifier."`
	Event       application.WebhookEvent `required:"" help:"The event kind, such as record.opened."`
	URL         string                   `required:"" placeholder:"URL" help:"Where it is told of them; https only."`
}

// Run carries the command out.
func (c *setWebhookCmd) Run(r *run) error {
	return c.do(r, app.Config{AllowNetwork: c.AllowNetwork}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.SetWebhook(ctx, commands.SetWebhook{Application: c.Application, Event: c.Event, URL: c.URL})
	})
}

type removeWebhookCmd struct {
	engineFlags `embed:""`
	Application application.ID           `required:"" placeholder:"UUID" help:"The application's identifier."`
	Event       application.WebhookEvent `required:"" help:"The event kind, such as record.opened."`
}

// Run carries the command out.
func (c *removeWebhookCmd) Run(r *run) error {
	return c.do(r, app.Config{}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.RemoveWebhook(ctx, commands.RemoveWebhook{Application: c.Application, Event: c.Event})
	})
}

type webhookCmd struct {
	Listen  webhookListenCmd  `cmd:"" help:"Receive webhooks on this machine, verify and print them."`
	Trigger webhookTriggerCmd `cmd:"" help:"Make an event happen, so that its webhook is sent as in earnest."`
	Verify  webhookVerifyCmd  `cmd:"" help:"Verify a webhook as a receiver does, and show what is in it."`
}
