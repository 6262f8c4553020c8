package cli_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/application"
)

// masterKey is a file with a master key.
func masterKey(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "master.key")
	text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// lines is what was printed, one JSON object a line.
func (o outcome) lines(t *testing.T) (objects []map[string]any) {
	t.Helper()
	if o.status != 0 {
		t.Fatal(o.err)
	}
	for line := range strings.Lines(o.out) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		objects = append(objects, object)
	}
	return objects
}

func TestServeRefusesToStartWithoutAMasterKey_D34(t *testing.T) {
	t.Parallel()
	serve := []string{"serve", "--database-url", postgrestest.New(t).URL, "--listen=127.0.0.1:0", "--api-domain=api.example", "--auth-url=https://auth.example"}
	frontdesk(t, append(serve, noMasterKey)...).wantFailure(t, 1, "no master key", "--master-key-file", "openssl rand -base64 32")
	frontdesk(t, append(serve, "--master-key=short")...).wantFailure(t, 1, "32 random bytes")
	frontdesk(t, append(serve, "--master-key-file=/nowhere")...).wantFailure(t, 1, "/nowhere")
}

func TestSigningKeysAreStagedListedActivatedAndRetired_D34(t *testing.T) {
	t.Parallel()
	db, file := postgrestest.New(t), masterKey(t)
	keys := func(args ...string) outcome {
		return frontdesk(t, append(append([]string{"keys"}, args...), "--database-url", db.URL, "--master-key-file", file)...)
	}
	first := keys("stage", "--json").lines(t)[0]["kid"].(string)
	keys("activate", first).wantSuccess(t)
	second := keys("stage", "--json").lines(t)[0]["kid"].(string)
	keys("activate", "--kid", second).wantFailure(t, 1, "less than 24 hours", "signing-key-too-young")
	keys("retire", "nonsense").wantFailure(t, 1, "unknown-signing-key")
	keys("retire").wantFailure(t, 1, "frontdesk keys list")
	keys("retire", second).wantSuccess(t)

	listed := frontdesk(t, "keys", "list", "--database-url", db.URL, "--json").lines(t)
	if len(listed) != 2 || listed[0]["kid"] != first || listed[0]["state"] != "active" || listed[1]["kid"] != second || listed[1]["state"] != "retired" {
		t.Errorf("listed %v", listed)
	}
	if table := frontdesk(t, "keys", "list", "--database-url", db.URL); !strings.Contains(table.out, first) || !strings.HasPrefix(table.out, "KID") {
		t.Errorf("listed for people:\n%s", table.out)
	}
	frontdesk(t, "keys", "stage", "--database-url", db.URL, noMasterKey).wantFailure(t, 1, "no master key")
}

func TestAnotherMasterKeyActivatesNothing_D34(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	kid := frontdesk(t, "keys", "stage", "--json", "--database-url", db.URL, "--master-key-file", masterKey(t)).lines(t)[0]["kid"].(string)
	another := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 32)))
	frontdesk(t, "keys", "activate", kid, "--database-url", db.URL, "--master-key", another).wantFailure(t, 1, "sealed under master key")
}

func TestWebhooksAreSetAndRemoved_6(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	app := frontdesk(t, "register-application", "--database-url", db.URL, "--name=Referrals", "--jwks-url=https://app.example/jwks", "--json").
		lines(t)[0]["applicationId"].(string)
	set := func(url string, more ...string) outcome {
		return frontdesk(t, append([]string{"set-webhook", "--database-url", db.URL, "--application", app, "--event=record.opened", "--url", url}, more...)...)
	}
	set("https://app.example/hook").wantSuccess(t)
	set("http://app.example/hook").wantFailure(t, 1, "https")
	set("https://user@app.example/hook").wantFailure(t, 1, "user name")
	set("https://app.example/hook#here").wantFailure(t, 1, "fragment")
	set("https://169.254.169.254/").wantFailure(t, 1, "not public")
	set("https://[::ffff:10.0.0.1]/").wantFailure(t, 1, "not public")
	set("http://127.0.0.1/", "--allow-network=127.0.0.0/8").wantFailure(t, 1, "webhook-not-https")
	set("https://127.0.0.1/", "--allow-network=127.0.0.0/8").wantSuccess(t)
	frontdesk(t, "set-webhook", "--database-url", db.URL, "--application", app, "--event=everything", "--url=https://app.example/").
		wantFailure(t, 1, "unknown-event")
	removed := frontdesk(t, "remove-webhook", "--database-url", db.URL, "--application", app, "--event=record.opened")
	removed.wantSuccess(t)
	if !strings.Contains(removed.out, "application.webhook-removed.v1") {
		t.Errorf("removed: %s", removed.out)
	}
}

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
	list := func(more ...string) outcome {
		return frontdesk(t, append([]string{"audit", "deliveries", "--database-url", db.URL}, more...)...)
	}
	table := list()
	for _, text := range []string{"record.opened", "failed", "250ms", "http_5xx (503)", "The receiver failed"} {
		if !strings.Contains(table.out, text) {
			t.Errorf("the table does not say %q:\n%s%s", text, table.out, table.err)
		}
	}
	found := list("--json", "--tenant=elm", "--status=failed", "--reason=http_5xx", "--since=2026-03-02T11:00:00Z").lines(t)
	if len(found) != 1 || found[0]["httpStatus"] != 503.0 || found[0]["event"] != "record.opened" || found[0]["happenedAt"] != "2026-03-02T12:00:00Z" {
		t.Errorf("found %v", found)
	}
	if none := list("--json", "--event=consultation.started"); none.out != "" || none.status != 0 {
		t.Errorf("found %s%s", none.out, none.err)
	}
}

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

// wantSuccess fails unless the command did what it was told.
func (o outcome) wantSuccess(t *testing.T) {
	t.Helper()
	if o.status != 0 {
		t.Errorf("exit status %d: %s", o.status, o.err)
	}
}
