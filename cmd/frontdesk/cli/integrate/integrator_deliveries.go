package integrate

import (
	"fmt"
	"strings"
	"time"

	"frontdesk.example/client"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/cmd/frontdesk/devkit/refusals"
)

type integratorDeliveriesCmd struct {
	asApplicationFlags `embed:""`
	JTI                string    `name:"jti" placeholder:"UUID" help:"Only the webhook with this jti."`
	From               time.Time `placeholder:"INSTANT" help:"Only events at or after this instant."`
	Until              time.Time `placeholder:"INSTANT" help:"Only events before this instant."`
	Outcome            string    `help:"Only webhooks with this outcome: pending, sending, delivered, failed, expired, withdrawn or unknown."`
	Limit              int       `default:"50" help:"Maximum number of results, newest first."`
}

// Run prints webhooks, newest first.
func (c *integratorDeliveriesCmd) Run(r *term.Run) error {
	if c.Limit < 1 {
		return errFewest
	}
	service, err := c.client(r)
	if err != nil {
		return err
	}
	q := client.DeliveriesQuery{JTI: c.JTI, From: c.From, Until: c.Until, Outcome: client.Outcome(c.Outcome)}
	shown := 0
	for shown < c.Limit {
		q.Limit = min(c.Limit-shown, pageMost)
		page, err := service.DeliveriesPage(r.Context, q)
		if err != nil {
			return refusals.Plain(err)
		}
		for _, d := range page.Deliveries {
			if err := c.print(r, d, func() { printDelivery(r, d) }); err != nil {
				return err
			}
		}
		if shown, q.Cursor = shown+len(page.Deliveries), page.Next; page.Next == "" {
			break
		}
	}
	if shown == 0 && !c.JSON {
		fmt.Fprintln(r.Err, "No webhooks: nothing has happened at this practice that the application is registered for.")
	}
	return nil
}

// printDelivery prints the outcome of a webhook, and why it did not arrive.
func printDelivery(r *term.Run, d client.Delivery) {
	parts := []string{d.HappenedAt.Format(time.RFC3339), string(d.Outcome), d.Event}
	if d.Status != 0 {
		parts = append(parts, fmt.Sprint(d.Status))
	}
	if !d.SentAt.IsZero() && !d.FinishedAt.IsZero() {
		parts = append(parts, fmt.Sprintf("%dms", d.DurationMS))
	}
	if d.URL != "" {
		parts = append(parts, d.URL)
	}
	fmt.Fprintln(r.Out, strings.Join(append(parts, d.JTI), "  "))
	if d.Reason != "" {
		fmt.Fprintf(r.Out, "    %s (%s)\n", d.Description, d.Reason)
	}
}
