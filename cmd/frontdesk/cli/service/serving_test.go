package service_test

import (
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestCheckOfServeChangesNothing_D108(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	count := func() (rows int) {
		clitest.Must(t, db.AdminPool(t).QueryRow(t.Context(), `SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM master_keys) + (SELECT count(*) FROM signing_keys)`).Scan(&rows))
		return rows
	}
	before := count()
	o := clitest.CheckServing(t, db.URL)
	o.WantSuccess(t)
	said := o.Checks()
	for what, want := range map[string]string{
		"database": "ok: can be reached", "schema": "ok: is this program's", "roles": "ok: frontdesk_app serves, and frontdesk_owner owns", "changes": "ok: ",
		"master key":  "ok: the database has none yet: the one that is given becomes its own (" + clitest.MasterKey.ID() + ")",
		"signing key": "ok: there is none yet", "sequence": "ok: ", "durability": "ok: asynchronous", "encryption": "ok: ", "clock": "ok: it is the database's", "erasures": "ok: ", "erasure ledger": "fix: no erasure ledger is set: ", "owner": "ok: ", "functions": "ok: ", "objects": "ok: ",
		"connections": "ok: each process has 32 at most, and the database 997 (max_connections less what is reserved): 31 processes fit",
		"staff pages": "ok: https://auth.example", "public listener": "ok: 127.0.0.1:0 is free", "private listener": "ok: ",
	} {
		if !strings.HasPrefix(said[what], want) {
			t.Errorf("%s is %q, want %q", what, said[what], want)
		}
	}
	if after := count(); after != before || len(said) != 19 {
		t.Errorf("there were %d rows, and are %d; %d checks:\n%s", before, after, len(said), o.Out)
	}
}

// The check refuses whatever a start refuses, and names the fix; warnings of a start are to be fixed.
func TestCheckNamesProblemsAndFixes_D108(t *testing.T) {
	t.Parallel()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	clitest.Must(t, err)
	t.Cleanup(func() { _ = taken.Close() }) // after the cases, which run at once
	another := sealing.MasterKey{2}
	sealedUnder := func(t *testing.T, db *postgrestest.Database) {
		t.Helper()
		clitest.Frontdesk(t, "key", "stage", "--database-url", db.URL, "--json").WantSuccess(t)
	}
	for name, c := range map[string]struct {
		statement string // as a superuser, beforehand
		prepare   func(*testing.T, *postgrestest.Database)
		flags     []string
		what, how string
	}{
		"an older schema": {statement: `DELETE FROM goose_db_version WHERE version_id > 0`, what: "schema", how: "FAILED: the database is at version 0, this program needs"},
		"a newer schema": {
			statement: `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true); UPDATE schema_support SET oldest_program = 9999`,
			what:      "schema", how: "FAILED: the database is at version 9999, newer",
		},
		"a newer schema that serves it": {
			statement: `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`,
			what:      "objects", how: "fix: the schema is newer than this program, and still serves it",
		},
		"a cached sequence":   {statement: `ALTER SEQUENCE events_position_seq CACHE 20`, what: "sequence", how: "FAILED: the sequence of positions"},
		"no standby":          {flags: []string{"--durability=synchronous"}, what: "durability", how: "FAILED: no synchronous standby"},
		"a superuser owns":    {statement: `ALTER FUNCTION record_audit_query OWNER TO postgres`, what: "owner", how: "FAILED: postgres is a superuser and owns the schema"},
		"row security":        {statement: `ALTER TABLE events ENABLE ROW LEVEL SECURITY`, what: "objects", how: "fix: the schema differs from the one that this program needs"},
		"anybody's functions": {statement: `GRANT CREATE ON SCHEMA public TO PUBLIC`, what: "functions", how: "fix: the roles of the service or of auditors may make functions"},
		"read-only":           {statement: `ALTER ROLE frontdesk_app IN DATABASE %s SET default_transaction_read_only = on`, what: "changes", how: "FAILED: " + readOnly},
		"one process fits":    {statement: `ALTER DATABASE %s CONNECTION LIMIT 40`, what: "connections", how: "fix: the database has too few connections for two processes"},
		"no process fits":     {statement: `ALTER DATABASE %s CONNECTION LIMIT 20`, what: "connections", how: "fix: the database has too few connections for two processes"},
		"smaller pools": {
			statement: `ALTER DATABASE %s CONNECTION LIMIT 40`, flags: []string{"--call-connections=8", "--background-connections=10", "--upload-connections=2"},
			what: "connections", how: "ok: each process has 20 at most, and the database 40 (the connection limit of the database): 2 processes fit",
		},
		"pools that are too small": {flags: []string{"--background-connections=3"}, what: "database", how: "FAILED: --background-connections must be"},
		"a port that is taken":     {flags: []string{"--listen", taken.Addr().String()}, what: "public listener", how: "FAILED: listen on " + taken.Addr().String()},
		"no URL of staff pages":    {flags: []string{"--auth-url=auth.example"}, what: "staff pages", how: "FAILED: "},
		"staff pages without TLS":  {flags: []string{"--auth-url=http://auth.example"}, what: "staff pages", how: "fix: the staff pages are reached without TLS"},
		"no master key":            {flags: []string{"--master-key="}, what: "master key", how: "FAILED: there is no master key"},
		"a file that is away":      {flags: []string{"--master-key-file=/nowhere"}, what: "master key", how: "FAILED: read the master key"},
		"another master key": {
			prepare: sealedUnder, flags: []string{"--master-key", base64.StdEncoding.EncodeToString(another[:])}, what: "master key", how: "FAILED: the personal data in this database is sealed under master key " + clitest.MasterKey.ID(),
		},
		"a ledger":            {flags: []string{"--erasure-ledger=/nowhere/erasures"}, what: "erasure ledger", how: "ok: /nowhere/erasures"},
		"a damaged ledger":    {flags: []string{"--erasure-ledger=serving_test.go"}, what: "erasure ledger", how: "FAILED: line "},
		"no broker's address": {flags: []string{"--nats=http://one"}, what: "broker", how: "FAILED: address 1 of the broker"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			if c.prepare != nil {
				c.prepare(t, db)
			}
			if c.statement != "" {
				prepare(t, db, c.statement)
			}
			o := clitest.CheckServing(t, db.URL, c.flags...)
			if got := o.Checks()[c.what]; !strings.HasPrefix(got, c.how) {
				t.Errorf("%s is %q, want %q", c.what, got, c.how)
			}
			failed := strings.HasPrefix(c.how, "FAILED")
			if failed != (o.Status == 1) || failed != strings.Contains(o.Err, "checks failed") {
				t.Errorf("exit status %d:\n%s%s", o.Status, o.Out, o.Err)
			}
		})
	}
}

func TestCheckKnowsRunningService_D108(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	for url, want := range map[string]string{
		db.SuperuserURL: "fix: no rule of the database binds a superuser or the owner: serve as frontdesk_app (role=postgres)",
		db.AdminURL:     "fix: no rule of the database binds a superuser or the owner: serve as frontdesk_app (role=frontdesk_owner)",
		clitest.AsRole(t, db.URL, "frontdesk_audit"): "FAILED: the role frontdesk_audit may not serve: use frontdesk_app, or GRANT frontdesk_app TO it",
	} {
		if got := clitest.CheckServing(t, url).Checks()["roles"]; got != want {
			t.Errorf("roles are %q, want %q", got, want)
		}
	}
}

func TestFirstLogLineDescribesTheRun_D108(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	line := clitest.Serving(t, "--database-url", db.URL, "--rate-limit=250", "--call-connections=5").Line(t, "serving")
	for member, want := range map[string]any{
		"api_domain": "api.example", "auth_url": "https://auth.example", "role": "frontdesk_app", "owner": "frontdesk_owner", "durability": "asynchronous",
		"pprof": false, "relays": false, "config": "",
	} {
		if line[member] != want {
			t.Errorf("%s is %v, want %v", member, line[member], want)
		}
	}
	limits, _ := line["limits"].(map[string]any)
	connections, _ := line["connections"].(map[string]any)
	if limits["rate"] != 250.0 || connections["calls"] != 5.0 || connections["background"] != 12.0 || line["schema"].(float64) < 1 || line["version"] == "" {
		t.Errorf("it says %v", line)
	}
	for _, url := range []any{line["url"], line["private_url"]} {
		if answer := status(t, url.(string)+"/debug/pprof/"); answer == http.StatusOK {
			t.Errorf("%v serves profiles unasked", url)
		}
	}
}

func status(t *testing.T, url string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	clitest.Must(t, err)
	response, err := http.DefaultClient.Do(request)
	clitest.Must(t, err)
	clitest.Must(t, response.Body.Close())
	return response.StatusCode
}

func TestProfilesAreOnPrivateListenerAlone_D108(t *testing.T) {
	t.Parallel()
	line := clitest.Serving(t, "--database-url", postgrestest.New(t).URL, "--pprof").Line(t, "serving")
	for path, want := range map[string]int{
		"": http.StatusOK, "goroutine?debug=2": http.StatusOK, "heap": http.StatusOK, "symbol": http.StatusOK, "trace?seconds=1": http.StatusOK, "cmdline": http.StatusNotFound,
	} {
		if got := status(t, line["private_url"].(string)+"/debug/pprof/"+path); got != want {
			t.Errorf("%s is answered %d, want %d", path, got, want)
		}
		if got := status(t, line["url"].(string)+"/debug/pprof/"+path); got != http.StatusNotFound {
			t.Errorf("in public, %s is answered %d", path, got)
		}
	}
}

func TestLogLevelIsChosen_D108(t *testing.T) {
	t.Parallel()
	clitest.Frontdesk(t, "serve", "--log-level=loud").WantFailure(t, 2, "--log-level must be one of")
	clitest.Frontdesk(t, "serve", "--log-calls=some").WantFailure(t, 2, "--log-calls must be one of")
}

// A service that is stopped while it starts has not failed.
func TestServeIsStoppedWhileStarting(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var said strings.Builder
	status := cli.Main(ctx, []string{
		"serve", "--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0", "--api-domain=api.example", "--auth-url=https://auth.example",
		"--database-url", postgrestest.New(t).URL,
	}, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &said})
	if status != 0 {
		t.Errorf("it ends with status %d: %s", status, said.String())
	}
}

func TestCheckURLIsRefusedUnlessItHelps_D179(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	serve := []string{"serve", "--database-url", db.URL, "--listen=127.0.0.1:0", "--api-domain=api.example", "--auth-url=https://auth.example"}
	clitest.Frontdesk(t, append(serve, "--check-url=https://elm-street.api.example")...).WantFailure(t, 2, "--check-url needs --check")
	clitest.Frontdesk(t, append(serve, "--check", "--check-url=http://elm-street.api.example")...).WantFailure(t, 1, "https://elm-street.api.example.org")
}
