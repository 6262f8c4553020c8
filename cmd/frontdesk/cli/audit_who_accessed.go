package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/auditing"
	"frontdesk/domain/access"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

type auditWhoAccessedCmd struct {
	databaseFlag `embed:""`
	showingFlags `embed:""`
	Tenant       string     `required:"" help:"The practice's tenant identifier."`
	Patient      patient.ID `required:"" placeholder:"UUID" help:"Whose data. That you asked is recorded."`
	JSON         bool       `name:"json" help:"Print one JSON object a line."`
}

// Run lists every event about a patient, and then every judged call that named
// them. It counts first, because that is recorded before anything is shown.
func (c *auditWhoAccessedCmd) Run(r *run) error {
	engine, err := c.openToShow(r, c.databaseFlag)
	if err != nil {
		return err
	}
	defer engine.Close()
	asked := auditing.EventFilter{Tenant: c.Tenant, Patient: c.Patient}
	end, err := engine.Auditor.End(r.ctx, asked)
	if err != nil {
		return err
	}
	all := c.accesses(r.ctx, engine, asked, end)
	reading := audit.Queried{Command: "who-accessed", Filter: asked.String(), Patient: c.Patient, Personal: c.ShowPersonal}
	for _, err := range all {
		if err != nil {
			return err
		}
		reading.Count++
	}
	if err := r.recordReading(engine, c.Tenant, reading); err != nil {
		return err
	}
	line, flush := c.printer(r.Out)
	for a, err := range all {
		if err != nil {
			return err
		}
		if err := line(a); err != nil {
			return err
		}
	}
	return flush()
}

// accesses yields the events up to an idx, oldest first, and the calls up to
// now, newest first: the same each time.
func (c *auditWhoAccessedCmd) accesses(ctx context.Context, engine *app.Engine, asked auditing.EventFilter, end int64) iter.Seq2[accessed, error] {
	calls := postgres.CallFilter{Tenant: c.Tenant, Patient: c.Patient, Before: event.NewID()}
	return func(yield func(accessed, error) bool) {
		for e, err := range engine.Auditor.Events(ctx, asked, end) {
			if err != nil || !yield(accessOf(e, c.ShowPersonal), nil) {
				yieldError(yield, err)
				return
			}
		}
		for call, err := range engine.Auditor.AccessRecord().Calls(ctx, calls) {
			if err != nil || !yield(accessOfCall(call), nil) {
				yieldError(yield, err)
				return
			}
		}
	}
}

func yieldError(yield func(accessed, error) bool, err error) {
	if err != nil {
		yield(accessed{}, err)
	}
}

// accessed is one line: an event or a call.
type accessed struct {
	Kind         string    `json:"kind"` // "event" or "call"
	At           time.Time `json:"at"`
	Who          string    `json:"who"`                    // as the log names actors
	Application  string    `json:"application,omitempty"`  // through which
	Organisation string    `json:"organisation,omitempty"` // on behalf of which
	Practitioner string    `json:"practitioner,omitempty"` // and whom; personal
	What         string    `json:"what"`                   // the event's name or the endpoint
	Idx          int64     `json:"idx,omitempty"`
	RequestID    string    `json:"requestId,omitempty"` // the same for an event and the call that caused it
	Status       int       `json:"status,omitempty"`
	Reason       string    `json:"reason,omitempty"`
}

func accessOf(e event.Recorded, personal bool) accessed {
	actor := e.Metadata.Actor
	a := accessed{Kind: "event", At: e.At, Who: actor.String(), What: e.EventName(), Idx: e.Idx, RequestID: e.Metadata.RequestID}
	if actor.Application != uuid.Nil {
		a.Application = actor.Application.String()
	}
	if act := actor.OnBehalfOf; act != nil {
		a.Organisation, a.Practitioner = act.Organisation.Name, event.Hidden
		if personal {
			a.Practitioner = act.Practitioner.Name
		}
	}
	return a
}

func accessOfCall(c access.Call) accessed {
	who := event.Application(c.Application.UUID, string(c.Mode), c.Act)
	if c.Staff.UUID != uuid.Nil {
		who = event.Staff(c.Staff.UUID)
	}
	return accessed{
		Kind: "call", At: c.At, Who: who.String(), Application: c.Application.String(), What: string(c.Endpoint),
		RequestID: c.RequestID.String(), Status: c.Status, Reason: c.Reason,
	}
}

func (c *auditWhoAccessedCmd) printer(w io.Writer) (line func(accessed) error, flush func() error) {
	if c.JSON {
		encoder := json.NewEncoder(w)
		return func(a accessed) error { return encoder.Encode(a) }, func() error { return nil }
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "AT\tWHO\tTHROUGH\tWHAT\tHOW IT ENDED")
	lines := 0
	return func(a accessed) error {
		if lines++; lines%tableLines == 0 {
			_ = table.Flush() // an error comes again with the next line
		}
		ended := fmt.Sprintf("idx %d", a.Idx)
		if a.Kind == "call" {
			ended = fmt.Sprintf("%d %s", a.Status, a.Reason)
		}
		return row(table, a.At.Format(time.RFC3339), a.Who, a.Application, a.What, ended)
	}, table.Flush
}
