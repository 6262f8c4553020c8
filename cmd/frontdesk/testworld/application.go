package testworld

import (
	"io"
	"net/http"
	"strings"

	"frontdesk.example/client"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

// Application is an application that is registered with a world. It signs its tokens with
// an RSA key (RS256).
type Application struct {
	bearertest.Application
	Keys *bearertest.Server // publishes its key set, at a path that no other application has

	world   *World
	enabled string // the practice that enabled it first
}

// Application registers an application, which each of the practices enables.
func (w *World) Application(name string, tenants ...string) *Application {
	w.tb.Helper()
	a := &Application{world: w, Keys: bearertest.NewServer(nil)}
	w.tb.Cleanup(a.Keys.Close)
	id, err := w.Desk.RegisterApplication(w.tb.Context(), commands.RegisterApplication{Name: name, JWKSURL: a.Keys.URL})
	Must(w.tb, err)
	a.Application = bearertest.NewApplication(id)
	a.Keys.Publish(a.JWKS())
	for _, tenant := range tenants {
		Must(w.tb, w.Desk.EnableApplication(w.tb.Context(), commands.EnableApplication{Tenant: tenant, Application: id}))
	}
	if len(tenants) > 0 {
		a.enabled = tenants[0]
	}
	return a
}

// Grant lets the application call endpoints, application-restricted and user-restricted.
func (a *Application) Grant(endpoints ...application.EndpointName) *Application {
	a.world.tb.Helper()
	for _, endpoint := range endpoints {
		for _, mode := range []application.Mode{application.ApplicationRestricted, application.UserRestricted} {
			grant := commands.GrantEndpoint{Application: a.ID, Grant: application.Grant{Endpoint: endpoint, Mode: mode}}
			Must(a.world.tb, a.world.Desk.GrantEndpoint(a.world.tb.Context(), grant))
		}
	}
	return a
}

// Authorise lets the application act for a member of staff.
func (a *Application) Authorise(tenant, username string) {
	a.world.tb.Helper()
	_, err := a.world.Desk.GrantUserAuthorisation(a.world.tb.Context(), commands.GrantUserAuthorisation{Tenant: tenant, Application: a.ID, Username: username})
	Must(a.world.tb, err)
}

// Answer is the answer to a call.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Call calls an endpoint of a practice, with a token that is issued now. A call without
// a body is a GET, any other a POST.
func (a *Application) Call(tenant string, endpoint application.EndpointName, body string, token ...bearertest.Edit) Answer {
	a.world.tb.Helper()
	return a.world.Do(a.Request(tenant, endpoint, body, token...))
}

// Request returns the request of [Application.Call], for tests that change it.
func (a *Application) Request(tenant string, endpoint application.EndpointName, body string, token ...bearertest.Edit) *http.Request {
	a.world.tb.Helper()
	method, content := http.MethodGet, io.Reader(http.NoBody)
	if body != "" {
		method, content = http.MethodPost, strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(a.world.tb.Context(), method, a.world.URL()+"/transactional-api/"+string(endpoint), content)
	Must(a.world.tb, err)
	r.Host = tenant + "." + APIDomain
	r.Header.Set("Authorization", "Bearer "+a.Token(a.world.Now(), token...))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// Do sends a request, and returns the whole answer.
func (w *World) Do(r *http.Request) Answer {
	w.tb.Helper()
	response, err := http.DefaultClient.Do(r)
	Must(w.tb, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	Must(w.tb, err)
	return Answer{response.StatusCode, response.Header, string(body)}
}

// Signer signs with the private key in a file. An empty kid is the key's thumbprint.
func Signer(kid, file string) (*client.Signer, error) {
	key, err := client.ReadKey(kid, file)
	if err != nil {
		return nil, err
	}
	return client.NewSigner(key)
}
