package cli

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

type auditCallsCmd struct {
	databaseFlag `embed:""`
	Request      uuid.UUID            `placeholder:"UUID" help:"Only the call that was answered with this X-Request-Id."`
	Tenant       string               `help:"Only calls that addressed this practice."`
	Application  application.ID       `placeholder:"UUID" help:"Only calls of this application."`
	User         string               `aliases:"staff" placeholder:"USERNAME" help:"Only calls on behalf of this member of staff: a username, with --tenant, or an identifier."`
	Patient      patient.ID           `placeholder:"UUID" help:"Only calls that named this patient. That you asked is recorded."`
	Endpoint     application.Endpoint `help:"Only calls of this endpoint, such as create-note."`
	Outcome      access.Outcome       `enum:",allowed,refused,failed" default:"" help:"Only allowed, refused or failed ones."`
	Since        time.Time            `placeholder:"INSTANT" help:"Only calls at or after it."`
	Until        time.Time            `placeholder:"INSTANT" help:"Only calls before it."`
	Before       uuid.UUID            `placeholder:"UUID" help:"Go on after the call with this request id: only older ones."`
	Limit        int                  `default:"100" help:"At most so many, the newest; 10000 at the most."`
	ShowPersonal bool                 `help:"Show personal data, which is hidden otherwise. That you did is recorded."`
	JSON         bool                 `name:"json" help:"Print one JSON object a line."`
}

// maxCalls bounds what is held in memory: it is counted before it is shown.
const maxCalls = 10_000

var errLimit = fault.New(fault.Invalid, "invalid-limit", "--limit is 1 to 10000; go on with --before.")

// Run prints the access record, newest calls first (D37).
func (c *auditCallsCmd) Run(r *run) error {
	if c.Limit < 1 || c.Limit > maxCalls {
		return errLimit
	}
	engine, err := app.Open(r.ctx, app.Config{DatabaseURL: c.DatabaseURL})
	if err != nil {
		return err
	}
	defer engine.Close()
	user, err := filterFlags{Tenant: c.Tenant, User: c.User}.resolve(r.ctx, engine)
	if err != nil {
		return err
	}
	f := c.filter(staff.ID{UUID: user.staff})
	calls, err := c.find(r.ctx, engine, f)
	if err != nil {
		return err
	}
	if err := c.announce(r.ctx, engine, f, len(calls)); err != nil {
		return err
	}
	return c.print(r.Out, calls)
}

func (c *auditCallsCmd) filter(user staff.ID) postgres.CallFilter {
	return postgres.CallFilter{
		RequestID: c.Request, Before: c.Before, Tenant: c.Tenant, Application: c.Application, Staff: user,
		Patient: c.Patient, Endpoint: c.Endpoint, Outcome: c.Outcome, Since: c.Since, Until: c.Until,
	}
}

func (c *auditCallsCmd) find(ctx context.Context, engine *app.Engine, f postgres.CallFilter) (calls []access.Call, err error) {
	for call, err := range engine.Auditor.AccessRecord().Calls(ctx, f) {
		if err != nil {
			return nil, err
		}
		if calls = append(calls, call); len(calls) == c.Limit {
			break
		}
	}
	return calls, nil
}

// announce records the reading of a patient's calls, or of personal data,
// before it happens (D37).
func (c *auditCallsCmd) announce(ctx context.Context, engine *app.Engine, f postgres.CallFilter, count int) error {
	asked := c.ShowPersonal || c.Patient.UUID != uuid.Nil
	if !asked || count == 0 {
		return nil
	}
	err := engine.Auditor.RecordReading(ctx, c.Tenant, machineUser(), audit.Queried{
		Command: "calls", Filter: textOf(f), Patient: c.Patient, Personal: c.ShowPersonal, Count: int64(count),
	})
	if err != nil {
		return fmt.Errorf("nothing is shown, because it could not be recorded that it was: %w", err)
	}
	return nil
}

// textOf is a filter as it is recorded: key=value&….
func textOf(f postgres.CallFilter) string {
	values := url.Values{}
	set := func(key, value string, given bool) {
		if given {
			values.Set(key, value)
		}
	}
	set("request", f.RequestID.String(), f.RequestID != uuid.Nil)
	set("before", f.Before.String(), f.Before != uuid.Nil)
	set("tenant", f.Tenant, f.Tenant != "")
	set("application", f.Application.String(), f.Application.UUID != uuid.Nil)
	set("user", f.Staff.String(), f.Staff.UUID != uuid.Nil)
	set("patient", f.Patient.String(), f.Patient.UUID != uuid.Nil)
	set("endpoint", string(f.Endpoint), f.Endpoint != "")
	set("outcome", string(f.Outcome), f.Outcome != "")
	set("since", f.Since.UTC().Format(time.RFC3339Nano), !f.Since.IsZero())
	set("until", f.Until.UTC().Format(time.RFC3339Nano), !f.Until.IsZero())
	return values.Encode()
}
