package staffweb_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// listed adds a request to the list, as the feed does.
func (s *service) listed(t *testing.T, about patient.ID, answers ...request.Answer) request.ID {
	t.Helper()
	id := request.ID{UUID: event.NewID()}
	s.appends(t, request.StreamOf(elm, id), request.Submit(request.Submission{Patient: about, Type: request.Medical, Requester: request.ByPatient, Response: answers})...)
	return id
}

// appends appends events of a request, and projects them.
func (s *service) appends(t *testing.T, stream event.Stream, events ...event.Event) {
	t.Helper()
	history, err := s.store.Load(t.Context(), stream)
	must(t, err)
	recorded, err := s.store.Append(t.Context(), event.Change{Stream: stream, Expected: len(history), OfPatient: true, Events: events})
	must(t, err)
	for _, r := range recorded {
		(projections.Inbox{}).Project(r, func(sql string, args ...any) {
			_, err := s.pool.Exec(t.Context(), sql, args...)
			must(t, err)
		})
	}
}

// The list shows the beginning of each request, and the access record names the patients. The
// text of a closed record, of a request that has moved meanwhile or was entered in error is hidden.
func TestListShowsWhatPatientsAsk_D162(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t)
	bill, cleo, dee := s.patient(t, elm, "Bill Baker", ""), s.patient(t, elm, "Cleo Cole", ""), s.patient(t, elm, "Dee Drew", "")
	answer := func(text string) request.Answer { return request.Answer{Question: "healthConcern", Answer: text} }
	s.listed(t, ann, answer(" \n"), answer("<b>My</b> knee\n hurts  "+strings.Repeat("é", 200)))
	s.listed(t, bill, answer("a secret rash"))
	s.listed(t, dee, answer(strings.Repeat("a long story ", 3000)))
	wrong := s.listed(t, dee, answer("meant for another"))
	moved := s.listed(t, cleo, answer("about Bill in truth"))
	must(t, s.pages.Desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: elm, Patient: bill, Usernames: []string{"dr.lee"}}))
	s.appends(t, request.StreamOf(elm, wrong), request.EnteredInError{Patient: dee, Reason: "twice"})
	must(t, s.pages.Desk.ReLinkPatientRequest(t.Context(), commands.ReLinkPatientRequest{Tenant: elm, Request: moved, From: cleo, To: bill, Reason: "it is Bill’s"})) // the list does not show it yet
	page := b.get("/elm-street/staff/requests")
	for _, want := range []string{"&lt;b&gt;My&lt;/b&gt; knee hurts " + strings.Repeat("é", 90-len("<b>My</b> knee hurts ")) + "…</td>", "Restricted record", "A long text", "Cleo Cole"} {
		page.wants(t, http.StatusOK, "", want)
	}
	for _, hidden := range []string{"secret rash", "in truth", "meant for another", "long story"} {
		if strings.Contains(page.body, hidden) {
			t.Errorf("%q is shown:\n%s", hidden, page.body)
		}
	}
	lines := s.looks.all()
	if len(lines) != 2 || lines[0].Endpoint != "requests-asked" || !slices.Equal(lines[0].Patients, []patient.ID{ann}) ||
		lines[1].Endpoint != "requests" || len(lines[1].Patients) != 3 || lines[0].RequestID == lines[1].RequestID {
		t.Errorf("the access record has %+v", lines)
	}
	b.get("/elm-street/staff/requests")
	if again := s.looks.all(); len(again) != 2 {
		t.Errorf("the list again adds %+v", again[2:])
	}
	b.get(patientsPage + "/" + bill.String())
	form := with(b.get(patientsPage+"/"+bill.String()).form(t, patientsPage+"/"+bill.String()+"/glass"), "reason", "He is in the room")
	b.post(patientsPage+"/"+bill.String()+"/glass", form)
	b.get("/elm-street/staff/requests").wants(t, http.StatusOK, "", "a secret rash")
	if logged := s.watched.String(); strings.Contains(logged, "knee") || strings.Contains(logged, "rash") {
		t.Errorf("a text is logged:\n%s", logged)
	}
}
