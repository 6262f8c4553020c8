package privacy

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/domain/access"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// lineRow is a line of the access record: a call, or a page that was looked at.
type lineRow struct{ At, Who, What, Ended string }

// traceRow is an event about the patient, and whom webhooks have told of it.
type traceRow struct {
	At, Who, What string
	Told          []string
}

// firstFailure is the first status that is no refusal.
const firstFailure = 500

// rowOf is a line as it is shown.
func rowOf(v *frame.Visit, who *words, c access.Call) lineRow {
	row := lineRow{At: frame.Moment(c.At, v.Practice.Zone), Who: who.who(c.Actor()), What: projections.Describe(string(c.Endpoint)), Ended: "answered"}
	switch {
	case c.Looked():
		row.Ended = "shown"
	case c.Status >= firstFailure:
		row.Ended = "failed"
	case c.Status >= http.StatusBadRequest:
		row.Ended = "refused"
	}
	return row
}

// addLines adds who has called about the patient, and who was shown them on a page.
func (s *Section) addLines(v *frame.Visit, is standing, who *words, page *patientPage) error {
	before, err := cursor(v, "lines")
	if err != nil {
		return err
	}
	calls, err := s.Calls(v.Context(), Lines{Tenant: v.Tenant, Patient: is.id, Before: before, Most: mostTraces + 1})
	if err != nil {
		return err
	}
	if page.Further = page.Further || before != uuid.Nil; len(calls) > mostTraces {
		calls = calls[:mostTraces]
		page.OlderLines = calls[mostTraces-1].RequestID.String()
	}
	for _, c := range calls {
		page.Lines = append(page.Lines, rowOf(v, who, c))
	}
	return nil
}

// addTraces adds what was done to the patient's data, and whom webhooks have told.
func (s *Section) addTraces(v *frame.Visit, is standing, who *words, page *patientPage) error {
	before, err := number(v, "events")
	if err != nil {
		return err
	}
	traces, err := s.Traces.OfPatient(v.Context(), v.Tenant, is.id, before, mostTraces+1)
	if err != nil {
		return err
	}
	if page.Further = page.Further || before > 0; len(traces) > mostTraces {
		traces = traces[:mostTraces]
		page.OlderTraces = strconv.FormatInt(traces[mostTraces-1].Idx, 10)
	}
	told, err := s.toldOf(v, who, traces)
	for _, t := range traces {
		page.Traces = append(page.Traces, traceRow{frame.Moment(t.At, v.Practice.Zone), who.who(t.Actor), projections.Describe(t.Name), told[t.Event]})
	}
	return err
}

// toldOf are the applications that webhooks have told of events, in words.
func (s *Section) toldOf(v *frame.Visit, who *words, traces []projections.Trace) (map[uuid.UUID][]string, error) {
	var events []uuid.UUID
	for _, t := range traces {
		events = append(events, t.Event)
	}
	found, err := s.Told(v.Context(), events)
	words := map[uuid.UUID][]string{}
	for _, t := range found {
		name := who.application(t.Application.UUID)
		if !t.Arrived {
			name += " (did not arrive, or is not known to have)"
		}
		words[t.Event] = append(words[t.Event], name)
	}
	return words, err
}

// refusedPage is what the page of refused calls shows.
type refusedPage struct {
	Rows    []refusedRow
	Older   string // the last of them, if there are more
	Further bool   // they do not begin with the newest
}

// refusedRow is a call that was refused.
type refusedRow struct {
	lineRow
	Why     string
	Patient patient.ID // whom it named; zero if it named nobody whom the practice has
	Name    string
}

// refused shows the calls to the practice that were refused, newest first.
func (s *Section) refused(v *frame.Visit) error {
	before, err := cursor(v, "before")
	if err != nil {
		return err
	}
	calls, err := s.Calls(v.Context(), Lines{Tenant: v.Tenant, Refused: true, Before: before, Most: mostRefused + 1})
	if err != nil {
		return err
	}
	page := refusedPage{Further: before != uuid.Nil}
	if len(calls) > mostRefused {
		calls = calls[:mostRefused]
		page.Older = calls[mostRefused-1].RequestID.String()
	}
	if page.Rows, err = s.refusals(v, calls); err != nil {
		return err
	}
	s.Show(v, frame.View{Template: templates["refused"], Status: http.StatusOK, Title: "Refused calls", Content: page})
	return nil
}

// refusals are refused calls as they are shown.
func (s *Section) refusals(v *frame.Visit, calls []access.Call) (rows []refusedRow, err error) {
	var shown []patient.ID
	for _, c := range calls {
		shown = append(shown, c.Patient)
	}
	names, err := s.named(v, "privacy-refused", shown)
	if err != nil {
		return nil, err
	}
	who, err := s.words(v)
	if err != nil {
		return nil, err
	}
	for _, c := range calls {
		row := refusedRow{lineRow: rowOf(v, who, c), Why: c.Reason}
		row.What = strings.TrimPrefix(row.What, "call: ")
		if name, has := names[c.Patient]; has {
			row.Patient, row.Name = c.Patient, name.Name
		}
		rows = append(rows, row)
	}
	return rows, who.failed
}
