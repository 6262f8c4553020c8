package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"frontdesk/adapters/postgres/retention"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/audit"
	"frontdesk/domain/patient"
)

type auditWhoAccessedCmd struct {
	term.DatabaseFlag `embed:""`
	term.ShowingFlags `embed:""`
	Tenant            string     `required:"" help:"The practice's tenant identifier."`
	Patient           patient.ID `required:"" placeholder:"UUID" help:"The patient. The query is recorded."`
	JSON              bool       `name:"json" help:"Print one JSON object a line."`
}

// Run lists every event about a patient, and then every judged call that named them and
// every page that showed them. It counts first, because that is recorded before anything is shown.
func (c *auditWhoAccessedCmd) Run(r *term.Run) error {
	engine, err := c.OpenToShow(r, c.DatabaseFlag)
	if err != nil {
		return err
	}
	defer engine.Close()
	asked := auditing.EventFilter{Tenant: c.Tenant, Patient: c.Patient}
	end, err := engine.Auditor.End(r.Context, asked)
	if err != nil {
		return err
	}
	all := engine.Auditor.Accesses(r.Context, asked, end, c.ShowPersonal)
	reading := audit.Queried{Command: "who-accessed", Filter: asked.String(), Patient: c.Patient, Personal: c.ShowPersonal}
	for _, err := range all {
		if err != nil {
			return err
		}
		reading.Count++
	}
	if err := r.RecordReading(engine, c.Tenant, reading); err != nil {
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
	if err := flush(); err != nil {
		return err
	}
	return warnArchived(r, engine, retention.AccessRecord, time.Time{}, time.Time{})
}

func (c *auditWhoAccessedCmd) printer(w io.Writer) (line func(auditing.Access) error, flush func() error) {
	if c.JSON {
		encoder := json.NewEncoder(w)
		return func(a auditing.Access) error { return encoder.Encode(a) }, func() error { return nil }
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "AT\tWHO\tTHROUGH\tWHAT\tHOW IT ENDED")
	lines := 0
	return func(a auditing.Access) error {
		if lines++; lines%term.TableLines == 0 {
			_ = table.Flush() // an error comes again with the next line
		}
		ended := fmt.Sprintf("idx %d", a.Idx)
		if a.Kind != auditing.ByEvent {
			ended = fmt.Sprintf("%d %s", a.Status, a.Reason)
		}
		return term.Row(table, a.At.Format(time.RFC3339), a.Who, a.Application, a.What, ended)
	}, table.Flush
}
