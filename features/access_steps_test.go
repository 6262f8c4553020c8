package features_test

import (
	"fmt"
	"strconv"

	"github.com/cucumber/godog"
	"github.com/google/uuid"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/domain/access"
)

// accessSteps are about the record of calls.
func (w *world) accessSteps(sc *godog.ScenarioContext) {
	sc.Step(`^the access record shows the call:$`, w.accessShows)
	sc.Step(`^the access record does not show the call$`, w.accessHides)
}

// accessShows compares the named values of the last call's line.
func (w *world) accessShows(table *godog.Table) error {
	call, err := w.recorded(w.lastRequest())
	if err != nil {
		return err
	}
	got := fieldsOf(call)
	for _, row := range table.Rows {
		name, want := row.Cells[0].Value, row.Cells[1].Value
		if want, err = w.named(want); err != nil {
			return err
		}
		if value, ok := got[name]; !ok || value != want {
			return fmt.Errorf("%s is %q, want %q", name, value, want)
		}
	}
	return nil
}

// named replaces placeholders, including those of staff.
func (w *world) named(text string) (string, error) {
	for name, username := range w.usernames {
		if text != "<"+name+">" {
			continue
		}
		id, err := w.Staff.StaffByUsername(w.ctx, w.tenant(w.practice), username)
		return id.String(), err
	}
	return w.filled(text), nil
}

func fieldsOf(c access.Call) map[string]string {
	fields := map[string]string{
		"tenant": c.Tenant, "application": c.Application.String(), "mode": string(c.Mode), "staff": orNobody(c.Staff.UUID),
		"endpoint": string(c.Endpoint), "patient": orNobody(c.Patient.UUID), "outcome": string(auditing.OutcomeOf(c)),
		"status": strconv.Itoa(c.Status), "code": c.Code, "reason": c.Reason, "on behalf of": "", "role": "", "purpose": "",
	}
	if c.Act != nil {
		fields["on behalf of"] = c.Act.Practitioner.Name + ", " + c.Act.Organisation.Name
		fields["role"], fields["purpose"] = c.Act.Role, c.Act.Purpose
	}
	return fields
}

func orNobody(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}

func (w *world) lastRequest() uuid.UUID {
	return uuid.MustParse(w.answer.headers.Get("X-Request-Id"))
}

// lines are the lines of a call: none, or one.
func (w *world) lines(id uuid.UUID) (found []access.Call, err error) {
	for call, err := range w.Auditor.OpenedAccessRecord().Calls(w.ctx, accesslog.CallFilter{RequestID: id}) {
		if err != nil {
			return nil, err
		}
		found = append(found, call)
	}
	return found, nil
}

// recorded waits for a line: they are written in batches, after the answers.
func (w *world) recorded(id uuid.UUID) (call access.Call, err error) {
	err = eventually(func() error {
		found, err := w.lines(id)
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return fmt.Errorf("call %s is not recorded", id)
		}
		call = found[0]
		return nil
	})
	return call, err
}

// accessHides waits for a later call's line. Lines are written in order, so an
// earlier one would be there.
func (w *world) accessHides() error {
	hidden := w.lastRequest()
	if err := w.pings("Referrals"); err != nil {
		return err
	}
	if _, err := w.recorded(w.lastRequest()); err != nil {
		return err
	}
	found, err := w.lines(hidden)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("it shows %+v", found)
	}
	return err
}
