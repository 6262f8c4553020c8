package service_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// A line names the practice and the application once the caller is known, and no person.
func TestLinesOfCallsNameTheCaller_D108(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	c := clitest.NewCaller(t, db)
	for choice, want := range map[string]struct{ answered, refused bool }{"all": {true, true}, "refused": {false, true}, "none": {}} {
		said := clitest.Serving(t, "--database-url", db.URL, "--allow-network=127.0.0.0/8", "--log-calls", choice)
		url := said.Line(t, "serving")["url"].(string)
		token, stranger := c.Token(clock.System(), bearertest.Claim("act", map[string]any{"sub": clitest.Personal})), "rubbish"
		calls := map[string]string{
			"answered": c.Call(url, "ping", c.Token(clock.System()), 200), "refused": c.Call(url, "create-note", c.Token(clock.System()), 403),
			"malformed": c.Call(url, "ping", token, 403), "stranger": c.Call(url, "ping", stranger, 403),
		}
		lines := said.Calls(t)
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
		if text := said.String(); strings.Contains(text, clitest.Personal) || strings.Contains(text, stranger) || strings.Contains(text, token) {
			t.Errorf("it logs\n%s", text)
		}
	}
}
