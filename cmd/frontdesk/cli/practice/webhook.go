package practice

import (
	"context"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

// WebhookURLCommands are the verbs of the webhook URLs of applications.
type WebhookURLCommands struct {
	List   listWebhooksCmd  `cmd:"" help:"List the webhook URLs of applications."`
	Set    setWebhookCmd    `cmd:"" help:"Set an application's webhook URL for an event."`
	Remove removeWebhookCmd `cmd:"" help:"Remove a webhook URL."`
	Test   testWebhookCmd   `cmd:"" help:"Send a ping to a webhook URL."`
}

type setWebhookCmd struct {
	term.EngineFlags `embed:""`
	term.NetworkFlag `embed:""`
	Application      application.ID           `required:"" placeholder:"UUID" help:"The application's identifier."`
	Event            application.WebhookEvent `required:"" help:"The event kind, such as record.opened."`
	URL              string                   `required:"" placeholder:"URL" help:"The webhook URL; https only."`
}

func (c *setWebhookCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{AllowNetwork: c.AllowNetwork}, "", func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		return nil, desk.SetWebhook(ctx, commands.SetWebhook{Application: c.Application, Event: c.Event, URL: c.URL})
	})
}

type removeWebhookCmd struct {
	term.ApplicationFlags `embed:""`
	Event                 application.WebhookEvent `required:"" help:"The event kind, such as record.opened."`
	term.TakingFlags      `embed:""`
}

func (c *removeWebhookCmd) Run(r *term.Run) error {
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.RemoveWebhook]{
		Follows: "The application gets no webhooks of this event any longer.",
		Intent:  commands.Desk.RemoveWebhook, Given: commands.RemoveWebhook{Application: c.Application, Event: c.Event},
	})
}

type testWebhookCmd struct {
	enablementFlags `embed:""`
	Event           application.WebhookEvent `required:"" help:"The event kind whose URL gets the ping, such as record.opened."`
}

func (c *testWebhookCmd) Run(r *term.Run) error {
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		test, err := desk.TestWebhook(ctx, commands.TestWebhook{Tenant: c.Tenant, Application: c.Application, Event: c.Event})
		return term.Made{"jti": test.ID, "url": application.WithoutQuery(test.URL)}, err
	})
}
