package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"frontdesk/adapters/httpapi"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// changes has a body for each endpoint that changes something. The test finds a new
// endpoint that is missing here.
var changes = map[application.EndpointName]string{
	access.CreatePatientRequest: `{"patientId":"` + annID + `","requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"a cough"}]}`,
	access.CreateNote:           `{"patientId":"` + annID + `","note":"a cough"}`,
	access.OpenCareRecord:       `{"patientId":"` + annID + `"}`,
	access.SetContactDetails:    `{"patientId":"` + annID + `","telephone":"020 7946 0958","email":null,"nhsNumber":null}`,
	access.BookAppointment:      `{"patientId":"` + annID + `","siteId":"` + siteID + `","at":"2026-03-02T13:00:00Z"}`,
	access.CallInPatient:        `{"appointmentId":"` + appointmentID + `"}`,
	access.ClearCallIn:          `{"appointmentId":"` + appointmentID + `"}`,
	access.MarkDidNotAttend:     `{"appointmentId":"` + appointmentID + `"}`,
	access.StartConsultation:    `{"patientId":"` + annID + `","appointmentId":"` + appointmentID + `"}`,
	access.KeySet:               `{}`,
	access.TestWebhook:          `{"event":"record.opened"}`,
}

// newOpen is a practice that takes requests and has enabled the calling application.
// Ann is called in if the endpoint is about ending that.
func newOpen(t *testing.T, endpoint application.EndpointName) *asked {
	t.Helper()
	caller := asApplicationOf(1)
	a := newAsked(t, caller, func(api *httpapi.API) {
		api.Itself.KeySet = func(url string) httpapi.KeySet { return httpapi.KeySet{URL: url} }
		api.Itself.Reread = func(context.Context, string) (bool, error) { return true, nil }
	})
	desk := commands.Desk{Store: a.store, Now: atWritten, CheckURL: func(string) error { return nil }}
	opened := event.Change{Stream: practice.StreamOf("elm-street"), Events: []event.Event{practice.Registered{Name: "Elm Street", TimeZone: "Europe/London"}}}
	made := event.Change{Stream: application.StreamOf(caller.Application), Events: []event.Event{application.Registered{Name: "Chart"}}}
	if _, err := a.store.Append(t.Context(), opened, made); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		desk.SetWebhook(t.Context(), commands.SetWebhook{Application: caller.Application, Event: application.RecordOpened, URL: "https://chart.example"}),
		desk.EnableApplication(t.Context(), commands.EnableApplication{Tenant: "elm-street", Application: caller.Application}),
	); err != nil {
		t.Fatal(err)
	}
	if endpoint == access.ClearCallIn {
		a.ask(http.MethodPost, string(access.CallInPatient), changes[access.CallInPatient])
	}
	a.before = len(a.store.Log())
	return a
}

func (a *asked) happened() int { return len(a.store.Log()) - a.before }

// posts returns the POST endpoints except ping.
func posts(t *testing.T) (names []application.EndpointName) {
	t.Helper()
	for name, methods := range httpapi.Endpoints(&httpapi.API{}) {
		if methods[http.MethodPost] != nil && name != access.Ping {
			names = append(names, name)
		}
	}
	return names
}

func TestEveryChangeIsMadeOnceForEachKey_D93(t *testing.T) {
	t.Parallel()
	for _, endpoint := range posts(t) {
		t.Run(string(endpoint), func(t *testing.T) {
			t.Parallel()
			body, path := changes[endpoint], string(endpoint)
			if body == "" {
				t.Fatal("give it a body in changes")
			}
			a := newOpen(t, endpoint)
			first := a.ask("POST", path, body, "Idempotency-Key", "k")
			made := a.happened()
			if first.Code != http.StatusOK || made == 0 || first.Header().Get("Idempotent-Replayed") != "" {
				t.Fatalf("%d %s, %v, after %d events", first.Code, first.Body, first.Header(), made)
			}
			again := a.ask("POST", path, body, "Idempotency-Key", "k")
			if again.Code != http.StatusOK || again.Body.String() != first.Body.String() || again.Header().Get("Idempotent-Replayed") != "true" || a.happened() != made {
				t.Errorf("again: %d %s, %v, after %d events; first %s after %d", again.Code, again.Body, again.Header(), a.happened(), first.Body, made)
			}
			if endpoint == access.KeySet {
				return // it has no body
			}
			wantAnswer(t, a.ask("POST", path, body+" ", "Idempotency-Key", "k"), http.StatusConflict, "idempotency-key-reused")
			if a.happened() != made {
				t.Errorf("a refused body became %d events", a.happened()-made)
			}
		})
	}
}

func TestFiftyAtOnceMakeOneChange_D93(t *testing.T) {
	t.Parallel()
	for _, endpoint := range posts(t) {
		t.Run(string(endpoint), func(t *testing.T) {
			t.Parallel()
			one := newOpen(t, endpoint)
			one.ask("POST", string(endpoint), changes[endpoint])
			a := newOpen(t, endpoint)
			var answers [50]string
			var group sync.WaitGroup
			for n := range answers {
				group.Go(func() {
					answer := a.ask("POST", string(endpoint), changes[endpoint], "Idempotency-Key", "k")
					if answers[n] = answer.Body.String(); answer.Code != http.StatusOK {
						t.Errorf("%d %s", answer.Code, answer.Body)
					}
				})
			}
			group.Wait()
			for _, answer := range answers {
				if answer != answers[0] {
					t.Fatalf("answered %s and %s", answers[0], answer)
				}
			}
			if a.happened() != one.happened() {
				t.Errorf("%d events, and %d of one call", a.happened(), one.happened())
			}
		})
	}
}

// A call that changes nothing is repeated, which is harmless, and may change something
// later.
func TestCallWithoutChangeIsNotStored_D93(t *testing.T) {
	t.Parallel()
	a := newOpen(t, access.CallInPatient)
	undo, body := string(access.ClearCallIn), changes[access.ClearCallIn]
	if idle := a.ask("POST", undo, body, "Idempotency-Key", "k"); idle.Code != http.StatusOK || a.happened() != 0 {
		t.Fatalf("%d %s, after %d events", idle.Code, idle.Body, a.happened())
	}
	a.ask("POST", string(access.CallInPatient), body)
	answer := a.ask("POST", undo, body, "Idempotency-Key", "k")
	if answer.Code != http.StatusOK || answer.Header().Get("Idempotent-Replayed") != "" || a.happened() != 2 {
		t.Errorf("%d %v, after %d events", answer.Code, answer.Header(), a.happened())
	}
}

// A key at another endpoint is another key: calling in and clearing a call-in have the
// same body.
func TestAKeyIsOfOneEndpoint_D93(t *testing.T) {
	t.Parallel()
	a := newOpen(t, access.CallInPatient)
	body := changes[access.CallInPatient]
	for n, path := range []string{"call-in-patient", "clear-call-in", "mark-did-not-attend"} {
		answer := a.ask("POST", path, body, "Idempotency-Key", "visit-17")
		if answer.Code != http.StatusOK || answer.Header().Get("Idempotent-Replayed") != "" || a.happened() != n+1 {
			t.Errorf("%s: %d %s %v, after %d events", path, answer.Code, answer.Body, answer.Header(), a.happened())
		}
	}
}

func TestAMalformedKeyIsRefusedEverywhere_D93(t *testing.T) {
	t.Parallel()
	a := newOpen(t, access.CallInPatient)
	for _, c := range []struct{ method, path, body string }{
		{"POST", "ping", ""}, {"GET", "ping", ""}, {"GET", "retrieve-care-record?patientId=" + annID, ""},
		{"POST", "clear-call-in", changes[access.ClearCallIn]}, {"POST", "create-note", changes[access.CreateNote]},
	} {
		for _, headers := range [][]string{{"Idempotency-Key", ""}, {"Idempotency-Key", strings.Repeat("k", 256)}, {"Idempotency-Key", "k", "Idempotency-Key", "k"}} {
			wantAnswer(t, a.ask(c.method, c.path, c.body, headers...), http.StatusBadRequest, "invalid-idempotency-key")
		}
		if sound := a.ask(c.method, c.path, c.body, "Idempotency-Key", "k"); sound.Code != http.StatusOK {
			t.Errorf("%s %s: %d %s", c.method, c.path, sound.Code, sound.Body)
		}
	}
}

// A stored answer is part of the log, so it must not contain personal data.
// Applications' data about themselves is their own.
func TestOnlyIdentifiersAreStored_D93(t *testing.T) {
	t.Parallel()
	for _, endpoint := range posts(t) {
		if slices.Contains(access.AboutItself(), endpoint) {
			continue
		}
		a := newOpen(t, endpoint)
		a.ask("POST", string(endpoint), changes[endpoint], "Idempotency-Key", "k")
		if answer := rememberedIn(a.store); !onlyIDs.MatchString(answer) {
			t.Errorf("%s remembers %s", endpoint, answer)
		}
	}
}

// The digest of a short body can be guessed. Personal values are encrypted once they
// are split from their event. Calls of an application about itself are not about a
// person.
func TestBodyDigestsArePersonal(t *testing.T) {
	t.Parallel()
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, endpoint := range posts(t) {
		a := newOpen(t, endpoint)
		a.ask(http.MethodPost, string(endpoint), changes[endpoint], "Idempotency-Key", "k")
		log := a.store.Log()
		at := slices.IndexFunc(log, func(e event.Recorded) bool { return e.Metadata.Idempotency.Body != "" })
		if at < 0 {
			t.Fatalf("%s: no event has the digest of the body", endpoint)
		}
		_, personal, err := codec.Split(log[at])
		if err != nil {
			t.Fatal(err)
		}
		split := slices.ContainsFunc(personal, func(p event.Personal) bool { return slices.Contains(p.Values, log[at].Metadata.Idempotency.Body) })
		if split == slices.Contains(access.AboutItself(), endpoint) {
			t.Errorf("%s: the digest of its body is split from %s: %t", endpoint, log[at].EventName(), split)
		}
	}
}

var onlyIDs = regexp.MustCompile(`^\{"[a-zA-Z]+Id":"[0-9a-f-]{36}"\}\n$`)

func rememberedIn(store *commandtest.Store) string {
	for _, e := range store.Log() {
		if e.Metadata.Idempotency.Answer != "" {
			return e.Metadata.Idempotency.Answer
		}
	}
	return ""
}
