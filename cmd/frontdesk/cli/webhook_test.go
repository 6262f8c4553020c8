package cli_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/application"
)

func TestEveryKindOfWebhookCanBeTriggered(t *testing.T) {
	t.Parallel()
	db, help := postgrestest.New(t), frontdesk(t, "webhook", "trigger", "--help").out
	trigger := func(kind application.WebhookEvent) outcome {
		return frontdesk(t, "webhook", "trigger", string(kind), "--database-url", db.URL, "--tenant=elm", "--patient=01980000-0000-7000-8000-000000000001")
	}
	unknown := trigger("record.closed")
	unknown.wantFailure(t, 1, "unknown-event")
	for _, kind := range application.WebhookEvents() {
		unknown.wantFailure(t, 1, string(kind)) // it lists what there is
		trigger(kind).wantFailure(t, 1, "patient-not-found")
		if !strings.Contains(help, string(kind)) {
			t.Errorf("the help does not name %s", kind)
		}
	}
}

func TestWithoutASandboxTheIntegratorsCommandsSaySo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{{"listen"}, {"trigger", "record.opened"}, {"verify", "x"}} {
		frontdesk(t, append(append([]string{"webhook"}, args...), "--dir", dir)...).wantFailure(t, 1, "frontdesk sandbox", "--dir")
	}
	frontdesk(t, "webhook", "trigger", "record.opened", "--database-url=postgres://nowhere/").wantFailure(t, 1, "--tenant and --patient")
}
