package httpapi_test

import (
	"context"
	"maps"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/httpapi"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections/history"
)

const outcomeOf = "request-outcome?patientRequestId="

// newOutcome is an API whose caller has sent one request, which has the identifier of the visit, and
// the lines of its access record.
func newOutcome(t *testing.T, caller access.Caller, closed bool) (a *asked, ended *history.Outcome, lines *[]access.Call) {
	t.Helper()
	ended, lines = &history.Outcome{Patient: ann}, &[]access.Call{}
	a = newAsked(t, proven(caller), func(api *httpapi.API) {
		api.Now = atWritten
		api.Record = func(c access.Call) { *lines = append(*lines, c) }
		api.RecordOpenTo = func(_ context.Context, tenant string, id patient.ID, member staff.ID) (bool, error) {
			if tenant != "elm-street" || id != ann || member != lee {
				t.Errorf("asked about %s, %s and %s", tenant, id, member)
			}
			return !closed, nil
		}
		api.RequestOutcome = func(_ context.Context, tenant string, id request.ID, by application.ID) (history.Outcome, error) {
			if id.UUID != visit.UUID || tenant != "elm-street" || by != provenApp {
				return history.Outcome{}, request.ErrUnknown
			}
			return *ended, nil
		}
	})
	return a, ended, lines
}

func TestRequestOutcomeIsAnswered_D149(t *testing.T) {
	t.Parallel()
	a, ended, lines := newOutcome(t, asApplication, false)
	begins := `{"patientRequestId":"` + appointmentID + `","status":`
	for _, step := range []struct {
		ended history.Outcome
		want  string
	}{
		{history.Outcome{Patient: ann}, `"open","outcome":null,"completedAt":null,"answer":null}`},
		{history.Outcome{Patient: ann, Outcome: request.Signposted, CompletedAt: written},
			`"completed","outcome":"signposted","completedAt":"2026-03-02T12:00:00.345Z","answer":null}`},
		{history.Outcome{Patient: ann, Outcome: request.Replied, CompletedAt: written, Answer: "Take it twice a day.", AnswerEvent: ann.UUID},
			`"completed","outcome":"replied","completedAt":"2026-03-02T12:00:00.345Z","answer":"Take it twice a day."}`},
	} {
		*ended, *lines = step.ended, nil
		answer := a.ask(http.MethodGet, outcomeOf+appointmentID, "")
		if answer.Code != http.StatusOK || answer.Body.String() != begins+step.want+"\n" || answer.Header().Get("Cache-Control") != "private, no-cache" {
			t.Errorf("answered %d %s, %v", answer.Code, answer.Body, answer.Header())
		}
		// The patient is recorded as shown, next to the line of the call.
		if len(*lines) != 2 || (*lines)[1].Endpoint != access.RequestOutcome || (*lines)[1].Patient.UUID != (patient.ID{}).UUID {
			t.Fatalf("recorded %+v", *lines)
		}
		shown := (*lines)[0]
		topic := "request-outcome:" + provenApp.String() + ":" + appointmentID
		if step.ended.Answer != "" {
			topic = access.AnswerTopic(provenApp, uuid.MustParse(appointmentID), ann.UUID)
		}
		if !shown.Looked() || string(shown.Endpoint) != topic {
			t.Errorf("recorded %+v", shown)
		}
		if diff := cmp.Diff([]patient.ID{ann}, shown.Patients); diff != "" {
			t.Errorf("shown are recorded as %s", diff)
		}
		if diff := cmp.Diff(event.Application(provenApp.UUID, "application-restricted", nil), shown.Actor()); diff != "" {
			t.Errorf("shown to: %s", diff)
		}
		*lines = nil
		again := a.ask(http.MethodGet, outcomeOf+appointmentID, "", "If-None-Match", answer.Header().Get("ETag"))
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 || len(*lines) != 1 || (*lines)[0].Looked() {
			t.Errorf("unchanged: %d %s, recorded %+v", again.Code, again.Body, *lines)
		}
	}
}

// A request that the caller may not know of is answered in one form, and shows no one.
func TestUnknownOutcomesLookTheSame_D149(t *testing.T) {
	t.Parallel()
	unknown, _, lines := newOutcome(t, asApplication, false)
	want := unknown.ask(http.MethodGet, outcomeOf+unknownID, "", "If-None-Match", "*")
	if want.Code != http.StatusBadRequest || want.Body.String() !=
		`{"errors":[{"code":"patient-request-not-found","description":"The practice has no patient request with this patientRequestId."}]}`+"\n" {
		t.Errorf("unknown: %d %s", want.Code, want.Body)
	}
	if len(*lines) != 1 || (*lines)[0].Looked() || (*lines)[0].Patient != (patient.ID{}) {
		t.Errorf("recorded %+v", *lines)
	}
	closed, _, lines := newOutcome(t, asUser, true)
	got := closed.ask(http.MethodGet, outcomeOf+appointmentID, "")
	headers := func(h http.Header) http.Header {
		h = maps.Clone(h)
		h.Del("X-Request-Id")
		return h
	}
	if got.Code != want.Code || got.Body.String() != want.Body.String() || cmp.Diff(headers(want.Header()), headers(got.Header())) != "" {
		t.Errorf("closed to the user: %d %s, %v, want %v", got.Code, got.Body, got.Header(), want.Header())
	}
	if len(*lines) != 1 || (*lines)[0].Looked() {
		t.Errorf("recorded %+v", *lines)
	}
}

func TestRequestOutcomeOfUserAndScope_D149(t *testing.T) {
	t.Parallel()
	open, _, lines := newOutcome(t, asUser, false)
	if got := open.ask(http.MethodGet, outcomeOf+appointmentID, ""); got.Code != http.StatusOK || len(*lines) != 2 || (*lines)[0].Staff != lee {
		t.Errorf("a user is answered %d %s, recorded %+v", got.Code, got.Body, *lines)
	}
	scoped, _, lines := newOutcome(t, asUserForAnn, false) // the call does not name the patient
	if got := scoped.ask(http.MethodGet, outcomeOf+appointmentID, ""); got.Code != http.StatusForbidden || len(*lines) != 1 {
		t.Errorf("a caller for one patient is answered %d %s, recorded %+v", got.Code, got.Body, *lines)
	}
	for _, query := range []string{"request-outcome", outcomeOf, outcomeOf + "x"} {
		want := `{"errors":[{"code":"invalid-query","description":"patientRequestId must be a UUID of 36 characters."}]}` + "\n"
		if got := open.ask(http.MethodGet, query, ""); got.Code != http.StatusBadRequest || got.Body.String() != want {
			t.Errorf("%s is answered %d %s", query, got.Code, got.Body)
		}
	}
}

// The sender is the application of the token.
func TestSubmissionNamesItsApplication_D149(t *testing.T) {
	t.Parallel()
	c := &counter{caller: proven(asApplication)}
	wantAnswer(t, c.post(t, cough()), http.StatusOK)
	if len(c.taken) != 1 || c.taken[0].Application != provenApp {
		t.Errorf("taken %+v", c.taken)
	}
}
