package audit_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestDeliveriesAreListed(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	_, err := db.AdminPool(t).Exec(t.Context(), `
		INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, claimed_at, finished_at, reason, http_status)
		VALUES (gen_random_uuid(), gen_random_uuid(), 1, 'elm', 'record.opened', gen_random_uuid(), gen_random_uuid(),
			'2026-03-02T12:00:00Z', '2026-03-02T12:15:00Z', 'failed', '2026-03-02T12:00:01Z', '2026-03-02T12:00:01.25Z', 'http_5xx', 503)`)
	if err != nil {
		t.Fatal(err)
	}
	list := func(more ...string) clitest.Outcome {
		return clitest.Frontdesk(t, append([]string{"audit", "deliveries", "--database-url", db.URL}, more...)...)
	}
	table := list()
	for _, text := range []string{"record.opened", "failed", "250ms", "http_5xx (503)", "The receiver failed"} {
		if !strings.Contains(table.Out, text) {
			t.Errorf("the table does not say %q:\n%s%s", text, table.Out, table.Err)
		}
	}
	found := list("--json", "--tenant=elm", "--status=failed", "--reason=http_5xx", "--since=2026-03-02T11:00:00Z").Lines(t)
	if len(found) != 1 || found[0]["httpStatus"] != 503.0 || found[0]["event"] != "record.opened" || found[0]["happenedAt"] != "2026-03-02T12:00:00Z" {
		t.Errorf("found %v", found)
	}
	if none := list("--json", "--event=consultation.started"); none.Out != "" || none.Status != 0 {
		t.Errorf("found %s%s", none.Out, none.Err)
	}
}
