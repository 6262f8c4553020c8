package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
)

type auditLogCmd struct {
	term.DatabaseFlag `embed:""`
	filterFlags       `embed:""`
	term.ShowingFlags `embed:""`
	Follow            bool `short:"f" help:"Print new events as they are recorded, until you stop it or --up-to is reached."`
	JSON              bool `name:"json" help:"Print one JSON object a line."`
}

// Run prints the log up to its head and, with --follow, the events that are appended later.
func (c *auditLogCmd) Run(r *term.Run) error {
	engine, err := c.OpenToShow(r, c.DatabaseFlag)
	if err != nil {
		return err
	}
	defer engine.Close()
	f, err := c.filter(r.Context, engine)
	if err != nil {
		return err
	}
	line, flush := printer(r.Out, c.JSON, c.ShowPersonal)
	for epoch, first := 0, true; ; first = false {
		if epoch, err = goBack(r.Context, engine, &f, epoch); err != nil {
			return endOfFollowing(r.Context, c.Follow, err)
		}
		if err := c.print(r, engine, &f, line, first); err != nil {
			return endOfFollowing(r.Context, c.Follow, err)
		}
		if err := flush(); err != nil || !c.Follow || c.UpTo > 0 && f.After >= f.UpTo {
			return err
		}
		if !background.Sleep(r.Context, followPace) {
			return nil
		}
	}
}

// goBack lets a follower go on from where the log has lost its end, if that happened since
// the epoch that the follower has seen. The next line then reports it.
func goBack(ctx context.Context, engine *app.Engine, f *auditing.EventFilter, seen int) (now int, err error) {
	now, lastKnown, err := engine.Log.Epoch(ctx, seen)
	if seen > 0 && now > seen {
		f.After = min(f.After, lastKnown)
	}
	return now, err
}

const followPace = 250 * time.Millisecond

// endOfFollowing returns nil if Ctrl-C has ended following, which is no failure.
func endOfFollowing(ctx context.Context, follow bool, err error) error {
	if !follow || ctx.Err() == nil {
		return err
	}
	return nil
}

// print shows the events that pass the filter up to the head of the log, and moves the
// filter there.
func (c *auditLogCmd) print(r *term.Run, engine *app.Engine, f *auditing.EventFilter, line func(event.Recorded) error, first bool) error {
	end, err := c.end(r.Context, engine, *f)
	if err != nil {
		return err
	}
	if err := c.announce(r, engine, *f, end, first); err != nil {
		return err
	}
	for e, err := range engine.Auditor.Events(r.Context, *f, end) {
		if err != nil {
			return err
		}
		if err := line(e); err != nil {
			return err
		}
	}
	f.After = max(f.After, end)
	return nil
}

// end is where reading stops for now. Who follows may wait for an idx that the log has
// not reached yet.
func (c *auditLogCmd) end(ctx context.Context, engine *app.Engine, f auditing.EventFilter) (int64, error) {
	if !c.Follow {
		return engine.Auditor.End(ctx, f)
	}
	head, err := engine.Log.Head(ctx)
	return min(head, cmp.Or(f.UpTo, head)), err
}

// announce records the reading before it happens, also if nothing is found: that is an
// answer, too. While following, it does not record that it shows records of earlier
// readings, or it would never end.
func (c *auditLogCmd) announce(r *term.Run, engine *app.Engine, f auditing.EventFilter, end int64, first bool) error {
	q := audit.Queried{Command: "log", Filter: f.String(), Patient: f.Patient, Personal: c.ShowPersonal}
	if !q.ReadsPatients() {
		return nil
	}
	events, readings, err := engine.Auditor.CountEvents(r.Context, f, end)
	if err != nil || !first && events == readings {
		return err
	}
	q.Count = events
	return r.RecordReading(engine, f.Tenant, q)
}

// printer prints an object a line for machines, or a table for people.
func printer(w io.Writer, machine, personal bool) (line func(event.Recorded) error, flush func() error) {
	if machine {
		encoder := json.NewEncoder(w)
		return func(e event.Recorded) error {
			logged, err := auditing.LoggedOf(e, personal)
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
		if lines++; lines%term.TableLines == 0 {
			_ = table.Flush() // an error comes again with the next line
		}
		logged, err := auditing.LoggedOf(e, personal)
		if err != nil {
			return err
		}
		return term.Row(table, e.Idx, e.At.Format(time.RFC3339), e.Stream.Tenant, logged.Name, e.Metadata.Actor, string(logged.Data))
	}, table.Flush
}
