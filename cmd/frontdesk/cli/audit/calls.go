package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/retention"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

type auditCallsCmd struct {
	term.DatabaseFlag `embed:""`
	term.ShowingFlags `embed:""`
	Request           uuid.UUID                `placeholder:"UUID" help:"Only the call that was answered with this X-Request-Id."`
	Tenant            string                   `help:"Only calls that addressed this practice."`
	Application       application.ID           `placeholder:"UUID" help:"Only calls of this application."`
	User              string                   `aliases:"staff" placeholder:"USERNAME" help:"Only calls on behalf of this member of staff: a username, with --tenant, or an identifier."`
	Patient           patient.ID               `placeholder:"UUID" help:"Only calls that named this patient, and pages that showed them. The query is recorded."`
	Endpoint          application.EndpointName `help:"Only calls of this endpoint, such as create-note, or pages of this topic, such as inbox."`
	Outcome           auditing.Outcome         `enum:",allowed,refused,failed" default:"" help:"Only allowed, refused or failed calls."`
	Since             time.Time                `placeholder:"INSTANT" help:"Only calls at or after this instant."`
	Until             time.Time                `placeholder:"INSTANT" help:"Only calls before this instant."`
	Before            uuid.UUID                `placeholder:"UUID" help:"Only calls older than the call with this request ID."`
	Limit             int                      `default:"100" help:"Maximum number of results, newest first; at most 10000."`
	JSON              bool                     `name:"json" help:"Print one JSON object a line."`
}

// maxCalls bounds how many calls are held in memory. They are held because they are
// counted before they are shown.
const maxCalls = 10_000

var errLimit = fault.New(fault.Invalid, "invalid-limit", "--limit must be 1 to 10000; go on with --before.")

// Run prints the access record, newest calls first.
func (c *auditCallsCmd) Run(r *term.Run) error {
	if c.Limit < 1 || c.Limit > maxCalls {
		return errLimit
	}
	engine, err := c.OpenToShow(r, c.DatabaseFlag)
	if err != nil {
		return err
	}
	defer engine.Close()
	user, err := staffNamed(r.Context, engine, c.Tenant, c.User)
	if err != nil {
		return err
	}
	f := c.filter(user)
	calls, err := engine.Auditor.Calls(r.Context, f, c.Limit)
	if err != nil {
		return err
	}
	if len(calls) > 0 || c.Patient.UUID != uuid.Nil { // that there is no call is an answer about the patient
		err = r.RecordReading(engine, c.Tenant, audit.Queried{
			Command: "calls", Filter: f.String(), Patient: c.Patient, Personal: c.ShowPersonal, Count: int64(len(calls)),
		})
	}
	if err != nil {
		return err
	}
	if err := c.print(r.Out, calls); err != nil || len(calls) == c.Limit {
		return err
	}
	return c.warnArchived(r, engine)
}

// warnArchived warns if calls of the range are in archives.
func (c *auditCallsCmd) warnArchived(r *term.Run, engine *app.Engine) error {
	since, until := c.Since, c.Until
	if c.Before != uuid.Nil {
		until = retention.InstantOf(c.Before)
	}
	if c.Request != uuid.Nil {
		since, until = retention.InstantOf(c.Request), retention.InstantOf(c.Request).Add(time.Millisecond)
	}
	return warnArchived(r, engine, retention.AccessRecord, since, until)
}

func (c *auditCallsCmd) filter(user staff.ID) auditing.CallFilter {
	return auditing.CallFilter{Outcome: c.Outcome, Personal: c.ShowPersonal, CallFilter: accesslog.CallFilter{
		RequestID: c.Request, Before: c.Before, Tenant: c.Tenant, Application: c.Application, Staff: user,
		Patient: c.Patient, Endpoint: c.Endpoint, Since: c.Since, Until: c.Until,
	}}
}

// shownCall is a call as a machine reads it.
type shownCall struct {
	access.Call
	Outcome   auditing.Outcome `json:"outcome"`
	UserAgent string           `json:"userAgent,omitempty"`
}

// print prints an object a line for machines, or a table for people.
func (c *auditCallsCmd) print(w io.Writer, calls []access.Call) error {
	if !c.JSON {
		return c.printTable(w, calls)
	}
	for _, call := range calls {
		data, err := c.shown(shownCall{call, auditing.OutcomeOf(call), call.Agent})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", data); err != nil {
			return err
		}
	}
	return nil
}

func (c *auditCallsCmd) printTable(w io.Writer, calls []access.Call) error {
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "AT\tREQUEST\tTENANT\tENDPOINT\tOUTCOME\tSTATUS\tAPPLICATION\tUSER-AGENT\tSTAFF\tPATIENT\tFOR\tWHY")
	for _, call := range calls {
		behalf, err := c.behalf(call.Act)
		if err != nil {
			return err
		}
		err = term.Row(table, call.At.Format(time.RFC3339), call.RequestID, call.Tenant, call.Endpoint, auditing.OutcomeOf(call), call.Status,
			orDash(call.Application.UUID), cmp.Or(call.Agent, "-"), orDash(call.Staff.UUID), named(call), behalf, why(call))
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

func (c *auditCallsCmd) shown(v any) ([]byte, error) {
	if c.ShowPersonal {
		return json.Marshal(v)
	}
	return event.Redacted(v)
}

// behalf names the practitioner and the organisation that an application said it
// called for, and in which role and for which purpose.
func (c *auditCallsCmd) behalf(act *event.OnBehalfOf) (string, error) {
	if act == nil {
		return "-", nil
	}
	data, err := c.shown(act)
	if err != nil {
		return "", err
	}
	var shown event.OnBehalfOf
	err = json.Unmarshal(data, &shown)
	whom := shown.Practitioner.Name + ", " + shown.Organisation.Name
	if remarks := slices.DeleteFunc([]string{shown.Role, shown.Purpose}, func(s string) bool { return s == "" }); len(remarks) > 0 {
		whom += " (" + strings.Join(remarks, "; ") + ")"
	}
	return whom, err
}

// why returns the reason of a refusal, and the number of its repeats.
func why(c access.Call) string {
	if c.Repeats > 0 {
		return fmt.Sprintf("%s (and %d equal refusals before it)", c.Reason, c.Repeats)
	}
	return c.Reason
}

// named names the patient of a call, or counts the patients that a page has shown.
func named(c access.Call) string {
	if c.Looked() {
		return fmt.Sprintf("%d shown", len(c.Patients))
	}
	return orDash(c.Patient.UUID)
}

func orDash(id uuid.UUID) string {
	if id == uuid.Nil {
		return "-"
	}
	return id.String()
}
