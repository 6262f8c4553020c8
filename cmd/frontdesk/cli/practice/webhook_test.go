package practice_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestWebhooksAreSetAndRemoved_6(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	app := clitest.Frontdesk(t, "application", "register", "--database-url", db.URL, "--name=Referrals", "--jwks-url=https://app.example/jwks", "--json").
		Lines(t)[0]["applicationId"].(string)
	set := func(url string, more ...string) clitest.Outcome {
		return clitest.Frontdesk(t, append([]string{"webhook", "set", "--database-url", db.URL, "--application", app, "--event=record.opened", "--url", url}, more...)...)
	}
	set("https://app.example/hook").WantSuccess(t)
	set("http://app.example/hook").WantFailure(t, 1, "https")
	set("https://user@app.example/hook").WantFailure(t, 1, "user name")
	set("https://app.example/hook#here").WantFailure(t, 1, "fragment")
	set("https://169.254.169.254/").WantFailure(t, 1, "not public")
	set("https://[::ffff:10.0.0.1]/").WantFailure(t, 1, "not public")
	set("http://127.0.0.1/", "--allow-network=127.0.0.0/8").WantFailure(t, 1, "webhook-not-https")
	set("https://127.0.0.1/", "--allow-network=127.0.0.0/8").WantSuccess(t)
	clitest.Frontdesk(t, "webhook", "set", "--database-url", db.URL, "--application", app, "--event=everything", "--url=https://app.example/").
		WantFailure(t, 1, "unknown-event")
	removed := clitest.Frontdesk(t, "webhook", "remove", "--database-url", db.URL, "--application", app, "--event=record.opened")
	removed.WantSuccess(t)
	if !strings.Contains(removed.Out, "application.webhook-removed.v1") {
		t.Errorf("removed: %s", removed.Out)
	}
}
