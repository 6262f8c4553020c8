package clitest

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
)

// Caller is an application that may ping at the practice elm.
type Caller struct {
	bearertest.Application
	t *testing.T
}

// Personal is in each call, and must not be logged.
const Personal = "Archer"

// NewCaller registers the application at a database, with a key set that the test serves.
func NewCaller(t *testing.T, db *postgrestest.Database) Caller {
	t.Helper()
	engine, err := app.Open(t.Context(), app.Config{
		DatabaseURL: db.URL, MasterKeys: sealing.NewRing(MasterKey), AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	Must(t, err)
	defer engine.Close()
	keys := bearertest.NewServer(nil)
	t.Cleanup(keys.Close)
	do, ctx := engine.Desk, t.Context()
	Must(t, do.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm", Name: "Elm Street"}))
	id, err := do.RegisterApplication(ctx, commands.RegisterApplication{Name: "Referrals", JWKSURL: keys.URL})
	Must(t, err)
	c := Caller{bearertest.NewApplication(id), t}
	keys.Publish(c.JWKS())
	Must(t, do.EnableApplication(ctx, commands.EnableApplication{Tenant: "elm", Application: id}))
	Must(t, engine.Drain(ctx))
	return c
}

// Call calls an endpoint, and returns the id of the call.
func (c Caller) Call(url, endpoint, token string, status int) (id string) {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, url+"/transactional-api/"+endpoint+"?name="+Personal, strings.NewReader(`{"name":"`+Personal+`"}`))
	Must(c.t, err)
	request.Host = "elm.api.example"
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	Must(c.t, err)
	Must(c.t, response.Body.Close())
	if response.StatusCode != status {
		c.t.Errorf("%s is answered %d, want %d", endpoint, response.StatusCode, status)
	}
	return response.Header.Get("X-Request-Id")
}
