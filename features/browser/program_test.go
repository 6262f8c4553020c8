package browser_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/staff"
)

const (
	elm, oak = "elm-street", "oak-lane"
	password = testworld.Password
	scheme   = "frontdesk-test://callback?from=phone"
)

// program is a running frontdesk with two practices, and an application that
// is enabled at both.
type program struct {
	*testworld.World
	t          *testing.T
	integrator bearertest.Application
	callback   string // the application's callback
}

func start(t *testing.T) *program {
	t.Helper()
	july := commandtest.NewClock(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
	p := &program{World: (&testworld.World{Clock: july}).Serve(t), t: t}
	p.seed()
	return p
}

func (p *program) seed() {
	p.t.Helper()
	ctx, t := p.t.Context(), p.t
	for tenant, name := range map[string]string{elm: "Elm Street Surgery", oak: "Oak Lane Practice"} {
		testworld.Must(t, p.Desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: name}))
		for username, name := range map[string]string{"dr.lee": "Dr Lee", "dr.may": "Dr May"} {
			roles := staff.Roles{staff.Clinician}
			if username == "dr.may" {
				roles = staff.Roles{staff.Manager}
			}
			_, err := p.Desk.RegisterStaff(ctx, commands.RegisterStaff{
				Tenant: tenant, Username: username, Name: name, Email: "staff@practice.example", Roles: roles, Password: password,
			})
			testworld.Must(t, err)
		}
	}
	keys := bearertest.NewServer(bearertest.NewApplication(application.ID{}).JWKS())
	t.Cleanup(keys.Close)
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><html lang="en"><title>Triage Helper</title><link rel="icon" href="data:,"><h1>Welcome back</h1>`)
	}))
	t.Cleanup(home.Close)
	p.callback = home.URL + "/callback"
	id, err := p.Desk.RegisterApplication(ctx, commands.RegisterApplication{
		Name: "Triage Helper", JWKSURL: keys.URL, Callbacks: []string{p.callback, "frontdesk-test://callback"},
	})
	testworld.Must(t, err)
	p.integrator = bearertest.NewApplication(id)
	for _, endpoint := range []application.EndpointName{access.CreatePatientRequest, access.RetrieveCareRecord} {
		testworld.Must(t, p.Desk.GrantEndpoint(ctx, commands.GrantEndpoint{
			Application: id, Grant: application.Grant{Endpoint: endpoint, Mode: application.UserRestricted},
		}))
	}
	for _, tenant := range []string{elm, oak} {
		testworld.Must(t, p.Desk.EnableApplication(ctx, commands.EnableApplication{Tenant: tenant, Application: id}))
	}
}

// ask is the URL to which the application redirects the browser.
func (p *program) ask(tenant, callback string) string {
	query := url.Values{"app": {p.integrator.ID.String()}, "redirect": {callback}}
	return p.page(tenant, "authorise") + "?" + query.Encode()
}

// page is the address of a practice's page.
func (p *program) page(tenant, name string) string { return p.URL() + "/" + tenant + "/staff/" + name }

// call is a user-restricted call (§5.3): its status and the first refusal's
// code and description.
func (p *program) call(tenant, username string) (status int, refusal string) {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.URL()+"/transactional-api/ping", http.NoBody)
	testworld.Must(p.t, err)
	request.Host = tenant + "." + testworld.APIDomain
	request.Header.Set("Authorization", "Bearer "+p.integrator.Token(p.Now(), bearertest.As(username)))
	answer, err := http.DefaultClient.Do(request)
	testworld.Must(p.t, err)
	defer answer.Body.Close()
	var body struct {
		Errors []struct{ Code, Description string }
	}
	testworld.Must(p.t, json.NewDecoder(answer.Body).Decode(&body))
	for _, e := range body.Errors {
		refusal = e.Code + ": " + e.Description
	}
	return answer.StatusCode, refusal
}

// mayCall fails unless the application may call for dr.lee.
func (p *program) mayCall(tenant string) {
	p.t.Helper()
	if status, refusal := p.call(tenant, "dr.lee"); status != http.StatusOK {
		p.t.Errorf("the call was answered %d %s", status, refusal)
	}
}

// mayNotCall fails unless the call is refused because of a missing authorisation.
func (p *program) mayNotCall(tenant string) {
	p.t.Helper()
	status, refusal := p.call(tenant, "dr.lee")
	if status != http.StatusForbidden || !strings.HasPrefix(refusal, "unauthorized: The app is not currently authorised to request as the specified user") {
		p.t.Errorf("the call was answered %d %s", status, refusal)
	}
}
