package cli_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
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

// A line names the practice and the application once the caller is known, and nobody else.
func TestLinesOfCallsSayWhoCalled_D108(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	c := newCaller(t, db)
	for choice, want := range map[string]struct{ answered, refused bool }{"all": {true, true}, "refused": {false, true}, "none": {}} {
		said := serving(t, "--database-url", db.URL, "--allow-network=127.0.0.0/8", "--log-calls", choice)
		url := said.line(t, "serving")["url"].(string)
		token, stranger := c.Token(clock.System(), bearertest.Claim("act", map[string]any{"sub": personal})), "rubbish"
		calls := map[string]string{
			"answered": c.call(url, "ping", c.Token(clock.System()), 200), "refused": c.call(url, "create-note", c.Token(clock.System()), 403),
			"malformed": c.call(url, "ping", token, 403), "stranger": c.call(url, "ping", stranger, 403),
		}
		lines := said.calls(t)
		for kind, id := range calls {
			line, logged := lines[id]
			switch {
			case logged != want.refused && kind != "answered" || logged != want.answered && kind == "answered":
				t.Errorf("--log-calls=%s: the line of the call that is %s: %v", choice, kind, line)
			case logged && (line["took"] == nil || line["endpoint"] == "" || (line["code"] == nil) != (kind == "answered")):
				t.Errorf("the line of the call that is %s: %v", kind, line)
			case logged && (line["tenant"] == "elm" && line["application"] == c.ID.String()) != (kind == "answered" || kind == "refused"):
				t.Errorf("who made the call that is %s: %v", kind, line)
			}
		}
		if text := said.String(); strings.Contains(text, personal) || strings.Contains(text, stranger) || strings.Contains(text, token) {
			t.Errorf("it logs\n%s", text)
		}
	}
}
