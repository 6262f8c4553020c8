package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/tracing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/site"
)

// traced is a program that exports traces, with an application that receives call-ins and a
// patient who has an appointment.
type traced struct {
	*testworld.World
	integrator  bearertest.Application
	patient     string
	appointment string
	told        chan http.Header // of each webhook
}

func trace(t *testing.T, traces tracing.Config) *traced {
	t.Helper()
	p := &traced{told: make(chan http.Header, 10)}
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.told <- r.Header
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(receiver.Close)
	p.World = testworld.Serve(t, oneTenant, func(c *app.Config) {
		c.RootCAs, c.Traces = receiver.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, traces
	})
	p.integrator, p.patient = onboard(t, p.App())
	p.expect(t, receiver.URL+"/hooks?secret=sesame")
	return p
}

// expect books an appointment, and registers the application for the patient's call-in.
func (p *traced) expect(t *testing.T, receiver string) {
	t.Helper()
	ctx, desk := t.Context(), p.Desk
	must(t, desk.GrantEndpoint(ctx, commands.GrantEndpoint{
		Application: p.integrator.ID, Grant: application.Grant{Endpoint: access.CallInPatient, Mode: application.ApplicationRestricted}}))
	must(t, desk.SetWebhook(ctx, commands.SetWebhook{Application: p.integrator.ID, Event: application.CallInShown, URL: receiver}))
	at, err := desk.AddSite(ctx, commands.AddSite{Tenant: "elm-street", Name: "Mulberry House"})
	must(t, err)
	p.appointment = p.book(t, at)
}

func (p *traced) book(t *testing.T, at site.ID) string {
	t.Helper()
	var booked commands.BookAppointment
	booked.Tenant, booked.Site, booked.At = "elm-street", at, p.Desk.Now()
	must(t, booked.Patient.UnmarshalText([]byte(p.patient)))
	id, err := p.Desk.BookAppointment(t.Context(), booked)
	must(t, err)
	return id.String()
}

// call returns the status and the id of a call. Its headers and its body hold secrets that
// must appear nowhere else.
func (p *traced) call(t *testing.T, endpoint application.EndpointName, body, traceparent string) (status int, id string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL()+"/transactional-api/"+string(endpoint), strings.NewReader(body))
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+p.integrator.Token(p.Desk.Now(), bearertest.Claim("act", bearertest.Act())))
	r.Header.Set("User-Agent", "tell-tale-agent")
	r.Header.Set("X-Forwarded-For", "203.0.113.77")
	if traceparent != "" {
		r.Header.Set("traceparent", traceparent)
		r.Header.Set("tracestate", "vendor=tell-tale-state")
	}
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	answer.Body.Close()
	return answer.StatusCode, strings.ReplaceAll(answer.Header.Get("X-Request-Id"), "-", "")
}

func (p *traced) callIn(t *testing.T, traceparent string) (id string) {
	t.Helper()
	status, id := p.call(t, access.CallInPatient, fmt.Sprintf(`{"appointmentId":%q,"roomId":null}`, p.appointment), traceparent)
	if status != http.StatusOK {
		t.Fatalf("the call-in is answered %d", status)
	}
	return id
}
