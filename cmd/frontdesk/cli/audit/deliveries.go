package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"frontdesk/adapters/postgres/retention"
	"frontdesk/adapters/webhooks"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/application"
)

type auditDeliveriesCmd struct {
	term.DatabaseFlag `embed:""`
	Tenant            string                   `help:"Only webhooks of this practice."`
	Application       application.ID           `placeholder:"UUID" help:"Only webhooks to this application."`
	Event             application.WebhookEvent `help:"Only webhooks of this event kind, such as record.opened; ping for test webhooks."`
	Status            webhooks.Status          `help:"Only webhooks with this outcome: pending, sending, delivered, failed, expired, withdrawn or unknown."`
	Reason            webhooks.Reason          `help:"Only webhooks that failed for this reason, such as http_5xx."`
	Since             time.Time                `placeholder:"INSTANT" help:"Only webhooks of events at or after this instant."`
	Limit             int                      `default:"100" help:"Maximum number of results, newest first."`
	JSON              bool                     `name:"json" help:"Print one JSON object a line."`
}

// Run lists deliveries, newest events first.
func (c *auditDeliveriesCmd) Run(r *term.Run) error {
	engine, err := c.Open(r)
	if err != nil {
		return err
	}
	defer engine.Close()
	found, err := engine.Deliveries().List(r.Context, webhooks.Filter{
		Tenant: c.Tenant, Application: c.Application, Event: c.Event, Status: c.Status, Reason: c.Reason, Since: c.Since, Limit: c.Limit,
	})
	if err != nil {
		return err
	}
	if err := c.print(r.Out, found); err != nil || len(found) == c.Limit {
		return err
	}
	return warnArchived(r, engine, retention.Delivered, c.Since, time.Time{})
}

// print prints an object a line for machines, or a table for people.
func (c *auditDeliveriesCmd) print(w io.Writer, found []webhooks.Logged) error {
	if c.JSON {
		encoder := json.NewEncoder(w)
		for _, d := range found {
			if err := encoder.Encode(d); err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "HAPPENED AT\tEVENT\tTENANT\tAPPLICATION\tSTATUS\tTOOK\tJTI\tWHY")
	for _, d := range found {
		err := term.Row(table, d.HappenedAt.Format(time.RFC3339), d.Event, d.Tenant, d.Application, d.Status, took(d), d.ID, failureOf(d))
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

// took returns the time from the claim to the end.
func took(d webhooks.Logged) string {
	if d.ClaimedAt == nil || d.FinishedAt == nil {
		return ""
	}
	return d.FinishedAt.Sub(*d.ClaimedAt).Round(time.Millisecond).String()
}

// failureOf describes why a delivery failed.
func failureOf(d webhooks.Logged) string {
	switch {
	case d.Reason == nil:
		return ""
	case d.HTTPStatus != nil:
		return fmt.Sprintf("%s (%d): %s", *d.Reason, *d.HTTPStatus, d.Reason.Sentence())
	}
	return fmt.Sprintf("%s: %s", *d.Reason, d.Reason.Sentence())
}
