package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/domain/event"
)

type auditCmd struct {
	Attachment auditAttachmentCmd `cmd:"" help:"Write a file that was sent with a patient request, after checking that it is what was sent."`
	Deliveries auditDeliveriesCmd `cmd:"" help:"List webhooks: what was sent to whom, and how that went."`
	Log        auditLogCmd        `cmd:"" help:"Print the event log: who did what, and when."`
}

type auditLogCmd struct {
	databaseFlag `embed:""`
	After        int64  `placeholder:"IDX" help:"Begin after this idx."`
	Tenant       string `help:"Only events of this practice."`
	ShowPersonal bool   `help:"Show personal data, which is hidden otherwise."`
	JSON         bool   `name:"json" help:"Print one JSON object a line."`
}

// loggedEvent is a line of the log.
type loggedEvent struct {
	Idx        int64           `json:"idx"`
	ID         uuid.UUID       `json:"id"`
	Name       string          `json:"name"`
	Tenant     string          `json:"tenant"`
	Stream     uuid.UUID       `json:"stream"`
	Version    int             `json:"version"`
	RecordedAt time.Time       `json:"recordedAt"`
	Actor      json.RawMessage `json:"actor"`
	Data       json.RawMessage `json:"data"`
}

// Run prints the log.
func (c *auditLogCmd) Run(r *run) error {
	engine, err := app.Open(r.ctx, app.Config{DatabaseURL: c.DatabaseURL})
	if err != nil {
		return err
	}
	defer engine.Close()
	line, flush := c.printer(r.Out)
	for e, err := range engine.Log.After(r.ctx, c.After) {
		if err != nil {
			return err
		}
		if c.Tenant != "" && e.Stream.Tenant != c.Tenant {
			continue
		}
		if err := line(e); err != nil {
			return err
		}
	}
	return flush()
}

// printer prints for machines or for people.
func (c *auditLogCmd) printer(w io.Writer) (line func(event.Recorded) error, flush func() error) {
	if c.JSON {
		encoder := json.NewEncoder(w)
		return func(e event.Recorded) error {
			logged, err := c.logged(e)
			if err != nil {
				return err
			}
			return encoder.Encode(logged)
		}, func() error { return nil }
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "IDX\tRECORDED AT\tTENANT\tEVENT\tBY\tDATA")
	return func(e event.Recorded) error {
		logged, err := c.logged(e)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\n",
			e.Idx, e.At.Format(time.RFC3339), e.Stream.Tenant, logged.Name, e.Metadata.Actor, logged.Data)
		return err
	}, table.Flush
}

func (c *auditLogCmd) logged(e event.Recorded) (loggedEvent, error) {
	show := event.Redacted
	if c.ShowPersonal {
		show = json.Marshal
	}
	data, err := show(e.Event)
	if err != nil {
		return loggedEvent{}, err
	}
	actor, err := show(e.Metadata.Actor)
	return loggedEvent{
		Idx: e.Idx, ID: e.ID, Name: e.EventName(), Tenant: e.Stream.Tenant, Stream: e.Stream.ID,
		Version: e.Version, RecordedAt: e.At, Actor: actor, Data: data,
	}, err
}
