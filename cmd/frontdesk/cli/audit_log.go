package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
)

type auditLogCmd struct {
	databaseFlag `embed:""`
	filterFlags  `embed:""`
	Follow       bool `short:"f" help:"Go on with what is recorded later, until you stop it."`
	ShowPersonal bool `help:"Show personal data, which is hidden otherwise. That you did is recorded."`
	JSON         bool `name:"json" help:"Print one JSON object a line."`
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

// Run prints the log up to its head, and then what follows.
func (c *auditLogCmd) Run(r *run) error {
	engine, err := app.Open(r.ctx, app.Config{DatabaseURL: c.DatabaseURL})
	if err != nil {
		return err
	}
	defer engine.Close()
	f, err := c.resolve(r.ctx, engine)
	if err != nil {
		return err
	}
	line, flush := printer(r.Out, c.JSON, c.ShowPersonal)
	for {
		if err := c.print(r.ctx, engine, &f, line); err != nil {
			return endOfFollowing(r.ctx, c.Follow, err)
		}
		if err := flush(); err != nil || !c.Follow || c.UpTo > 0 && f.After >= c.UpTo {
			return err
		}
		if !wait(r.ctx, followPace) {
			return nil
		}
	}
}

const followPace = 250 * time.Millisecond

// wait reports whether ctx has lasted as long.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// endOfFollowing is no failure: it is how following ends.
func endOfFollowing(ctx context.Context, follow bool, err error) error {
	if !follow || ctx.Err() == nil {
		return err
	}
	return nil
}

// print shows what passes up to the head of the log and moves the filter there.
func (c *auditLogCmd) print(ctx context.Context, engine *app.Engine, f *filter, line func(event.Recorded) error) error {
	head, err := engine.Log.Head(ctx)
	if err != nil {
		return err
	}
	if c.UpTo > 0 {
		head = min(head, c.UpTo)
	}
	if err := c.announce(ctx, engine, *f, head); err != nil {
		return err
	}
	for e, err := range f.events(ctx, engine, head) {
		if err == nil {
			err = line(e)
		}
		if err != nil {
			return err
		}
	}
	f.After = max(f.After, head)
	return nil
}

// announce records the reading before it happens. What recorded an earlier one
// needs no record of its own: following would never come to an end.
func (c *auditLogCmd) announce(ctx context.Context, engine *app.Engine, f filter, head int64) error {
	if !c.ShowPersonal && f.Patient.UUID == uuid.Nil {
		return nil
	}
	n, readings := int64(0), int64(0)
	for e, err := range f.events(ctx, engine, head) {
		if err != nil {
			return err
		}
		n++
		if _, ok := e.Event.(audit.Queried); ok {
			readings++
		}
	}
	if n == readings && c.Follow {
		return nil
	}
	return reading{"log", f, c.ShowPersonal}.record(ctx, engine, n)
}

// printer prints for machines or for people.
func printer(w io.Writer, machine, personal bool) (line func(event.Recorded) error, flush func() error) {
	if machine {
		encoder := json.NewEncoder(w)
		return func(e event.Recorded) error {
			logged, err := logged(e, personal)
			if err != nil {
				return err
			}
			return encoder.Encode(logged)
		}, func() error { return nil }
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "IDX\tRECORDED AT\tTENANT\tEVENT\tBY\tDATA")
	lines := 0
	return func(e event.Recorded) error {
		if lines++; lines%tableLines == 0 {
			_ = table.Flush() // an error comes again with the next line
		}
		logged, err := logged(e, personal)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\n",
			e.Idx, e.At.Format(time.RFC3339), e.Stream.Tenant, logged.Name, e.Metadata.Actor, logged.Data)
		return err
	}, table.Flush
}

// tableLines is how many lines of a table are held to align them.
const tableLines = 500

// logged is the line of an event.
func logged(e event.Recorded, personal bool) (loggedEvent, error) {
	show := event.Redacted
	if personal {
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
