package integrate_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/domain/application"
)

func TestEveryKindOfWebhookCanBeTriggered(t *testing.T) {
	t.Parallel()
	db, help := clitest.AsSandbox(t, postgrestest.New(t)), clitest.Frontdesk(t, "webhook", "trigger", "--help").Out
	trigger := func(kind application.WebhookEvent) clitest.Outcome {
		return clitest.Frontdesk(t, "webhook", "trigger", string(kind), "--database-url", db.URL, "--tenant=elm", "--patient=01980000-0000-7000-8000-000000000001")
	}
	unknown := trigger("record.closed")
	unknown.WantFailure(t, 1, "unknown-event")
	for _, kind := range application.WebhookEvents() {
		unknown.WantFailure(t, 1, string(kind)) // it lists the known kinds
		trigger(kind).WantFailure(t, 1, "patient-not-found")
		if !strings.Contains(help, string(kind)) {
			t.Errorf("the help does not name %s", kind)
		}
	}
}

func TestIntegratorCommandsReportMissingSandbox(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{{"listen"}, {"trigger", "record.opened"}, {"verify", "x"}} {
		clitest.Frontdesk(t, append(append([]string{"webhook"}, args...), "--dir", dir)...).WantFailure(t, 1, "frontdesk sandbox", "--dir")
	}
	clitest.Frontdesk(t, "webhook", "trigger", "record.opened", "--database-url=postgres://nowhere/").WantFailure(t, 1, "--tenant and --patient")
}
