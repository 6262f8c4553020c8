package cli_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
)

// caller is an application that may ping at the practice elm.
type caller struct {
	bearertest.Application
	t *testing.T
}

// personal is in each call, and must not be logged.
const personal = "Archer"

// newCaller registers the application at a database, with a key set that the test serves.
func newCaller(t *testing.T, db *postgrestest.Database) caller {
	t.Helper()
	engine, err := app.Open(t.Context(), app.Config{
		DatabaseURL: db.URL, MasterKey: theMasterKey, AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	must(t, err)
	defer engine.Close()
	keys := bearertest.NewServer(nil)
	t.Cleanup(keys.Close)
	do, ctx := engine.Desk, t.Context()
	must(t, do.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm", Name: "Elm Street"}))
	id, err := do.RegisterApplication(ctx, commands.RegisterApplication{Name: "Referrals", JWKSURL: keys.URL})
	must(t, err)
	c := caller{bearertest.NewApplication(id), t}
	keys.Publish(c.JWKS())
	must(t, do.EnableApplication(ctx, commands.EnableApplication{Tenant: "elm", Application: id}))
	must(t, engine.Drain(ctx))
	return c
}

// call calls an endpoint, and returns the id of the call.
func (c caller) call(url, endpoint, token string, status int) (id string) {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, url+"/transactional-api/"+endpoint+"?name="+personal, strings.NewReader(`{"name":"`+personal+`"}`))
	must(c.t, err)
	request.Host = "elm.api.example"
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	must(c.t, err)
	must(c.t, response.Body.Close())
	if response.StatusCode != status {
		c.t.Errorf("%s is answered %d, want %d", endpoint, response.StatusCode, status)
	}
	return response.Header.Get("X-Request-Id")
}
