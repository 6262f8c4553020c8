package app_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
)

// standbys makes the database report a number of synchronous standbys.
func standbys(t *testing.T, db *postgrestest.Database, n string) {
	t.Helper()
	_, err := db.AdminPool(t).Exec(t.Context(), `CREATE OR REPLACE FUNCTION synchronous_standbys() RETURNS bigint LANGUAGE sql AS 'SELECT `+n+`::bigint'`)
	must(t, err)
}

func TestSynchronousDurabilityIsRequired_D49(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	config := app.Config{
		DatabaseURL: db.URL, Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0",
		APIDomain: "frontdesk.test", MasterKeys: sealing.NewRing(sealing.MasterKey{1}), Durability: postgres.Synchronous,
	}
	if service, err := app.New(t.Context(), config); err == nil || !strings.Contains(err.Error(), "synchronous_standby_names") {
		if service != nil {
			service.Close()
		}
		t.Fatalf("without a standby it starts, or returns %v", err)
	}
	standbys(t, db, "1")
	service, err := app.New(t.Context(), config)
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	defer func() { stop(); must(t, <-ended) }()
	if got := readiness(t, service); got != http.StatusOK {
		t.Errorf("with a standby readiness is %d", got)
	}
	standbys(t, db, "0")
	for range 3 { // once is no reason yet
		_ = readiness(t, service)
	}
	if got := readiness(t, service); got != http.StatusServiceUnavailable {
		t.Errorf("when the standby has left readiness is %d", got)
	}
}

func readiness(t *testing.T, service *app.App) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, service.PrivateURL()+"/readyz", nil)
	must(t, err)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	must(t, response.Body.Close())
	return response.StatusCode
}

func TestStartJudgesOwners_D51(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	start := func() (said string, err error) {
		t.Helper()
		var lines buffer
		service, err := app.New(t.Context(), app.Config{
			DatabaseURL: db.URL, Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0",
			APIDomain: "frontdesk.test", MasterKeys: sealing.NewRing(sealing.MasterKey{1}), Log: slog.New(slog.NewTextHandler(&lines, nil)),
		})
		if err == nil {
			service.Close()
		}
		return lines.String(), err
	}
	if said, err := start(); strings.Contains(said, "owner") || err != nil {
		t.Errorf("for a plain owner it returns %s, %v", said, err)
	}
	_, err := db.SuperuserPool(t).Exec(t.Context(), `ALTER FUNCTION record_audit_query OWNER TO postgres`)
	must(t, err)
	if _, err := start(); err == nil || !strings.Contains(err.Error(), "postgres is a superuser and owns the schema") {
		t.Errorf("for a superuser it returns %v", err)
	}
	_, err = db.SuperuserPool(t).Exec(t.Context(), `ALTER FUNCTION record_audit_query OWNER TO frontdesk_owner; GRANT CREATE ON SCHEMA public TO PUBLIC`)
	must(t, err)
	if said, err := start(); err != nil || strings.Count(said, "level=WARN") != 2 || !strings.Contains(said, "the schema differs from the one that this program needs") || !strings.Contains(said, "REVOKE CREATE ON SCHEMA public") {
		t.Errorf("for functions that any role may make it returns %s, %v", said, err)
	}
}
