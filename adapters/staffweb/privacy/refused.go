package privacy

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/access"
	"frontdesk/domain/patient"
	"frontdesk/projections/history"
)

// lineRow is a line of the access record: a call, or a page that showed the patient.
type lineRow struct{ At, Who, What, Ended string }

// firstFailure is the lowest status of a failure of the service; lower ones are refusals.
const firstFailure = 500

// rowOf describes a line.
func rowOf(r *pagekit.Request, actors *actorNames, c access.Call) lineRow {
	row := lineRow{At: pagekit.Moment(c.At, r.Practice.Zone), Who: actors.actor(c.Actor()), What: history.Describe(string(c.Endpoint)), Ended: "answered"}
	switch {
	case c.Looked():
		row.Ended = "shown"
	case c.Status >= firstFailure:
		row.Ended = "failed"
	case c.Repeats > 0:
		row.Ended = fmt.Sprintf("refused %d times", 1+c.Repeats)
	case c.Status >= http.StatusBadRequest:
		row.Ended = "refused"
	}
	return row
}

// refusedPage is the page of refused calls.
type refusedPage struct {
	Rows    []refusedRow
	Older   string // the last row, if older ones follow
	Further bool   // the page does not begin with the newest
}

// refusedRow is a refused call.
type refusedRow struct {
	lineRow
	Why     string
	Patient patient.ID // named by the call; zero without a patient of the practice
	Name    string
}

// refused shows the refused calls to the practice, newest first.
func (s *Section) refused(r *pagekit.Request) error {
	before, err := cursor(r, "before")
	if err != nil {
		return err
	}
	calls, err := s.Calls(r.Context(), CallFilter{Tenant: r.Tenant, Refused: true, Before: before, Most: mostRefused + 1})
	if err != nil {
		return err
	}
	page := refusedPage{Further: before != uuid.Nil}
	if len(calls) > mostRefused {
		calls = calls[:mostRefused]
		page.Older = calls[mostRefused-1].RequestID.String()
	}
	if page.Rows, err = s.refusals(r, calls); err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["refused"], Status: http.StatusOK, Title: "Refused calls", Content: page})
	return nil
}

// refusals describes refused calls.
func (s *Section) refusals(r *pagekit.Request, calls []access.Call) (rows []refusedRow, err error) {
	var shown []patient.ID
	for _, c := range calls {
		shown = append(shown, c.Patient)
	}
	names, err := s.named(r, "privacy-refused", shown)
	if err != nil {
		return nil, err
	}
	actors, err := s.actorNames(r)
	if err != nil {
		return nil, err
	}
	for _, c := range calls {
		row := refusedRow{lineRow: rowOf(r, actors, c), Why: c.Reason}
		row.What = strings.TrimPrefix(row.What, "call: ")
		if name, has := names[c.Patient]; has {
			row.Patient, row.Name = c.Patient, name.Name
		}
		rows = append(rows, row)
	}
	return rows, actors.failed
}
