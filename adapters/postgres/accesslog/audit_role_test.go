package accesslog_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

func asAuditor(t *testing.T, db *postgrestest.Database) *pgxpool.Pool {
	t.Helper()
	return asRole(t, db, postgres.AuditRole)
}

func asRole(t *testing.T, db *postgrestest.Database, role string) *pgxpool.Pool {
	t.Helper()
	pool, err := postgres.NewPool(t.Context(), enginetest.As(t, db.URL, role), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// The rights of the auditors' role, from the catalogue.
func TestAuditorsOnlyReadAndRecordIt_D37(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	pool := asAuditor(t, db)
	list := func(query string) []string {
		t.Helper()
		rows, _ := pool.Query(t.Context(), query)
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if role := list(`SELECT current_user::text`); !slices.Equal(role, []string{postgres.AuditRole}) {
		t.Fatalf("this is %v", role)
	}
	const tables = ` FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_toast%' AND `
	if may := list(`SELECT c.relname::text` + tables + `c.relkind IN ('r', 'p', 'v', 'm')
		AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')`); len(may) > 0 {
		t.Errorf("may change the tables %v", may)
	}
	if may := list(`SELECT c.relname::text` + tables + `CASE WHEN c.relkind = 'S' THEN has_sequence_privilege(c.oid, 'USAGE, UPDATE') END`); len(may) > 0 {
		t.Errorf("may use the sequences %v", may)
	}
	secret := []string{"patient_searches", "sign_in_tries", "signing_key_secrets", "source_keys", "staff_challenges", "staff_devices", "staff_passkey_uses", "staff_passwords",
		"staff_sessions", "staff_sign_in_steps"}
	if not := list(`SELECT c.relname::text` + tables + `c.relkind = 'r' AND NOT has_table_privilege(c.oid, 'SELECT') ORDER BY 1`); !slices.Equal(not, secret) {
		t.Errorf("may not read %v, want %v", not, secret)
	}
	if may := list(`SELECT p.proname::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND has_function_privilege(p.oid, 'EXECUTE') ORDER BY 1`); !slices.Equal(may, []string{"record_audit_query"}) {
		t.Errorf("may execute %v", may)
	}
	if may := list(`SELECT nspname::text FROM pg_namespace WHERE nspname !~ '^pg_temp' AND has_schema_privilege(oid, 'CREATE')
		UNION ALL SELECT 'the database' WHERE has_database_privilege(current_database(), 'CREATE')`); len(may) > 0 {
		t.Errorf("may create in %v", may)
	}
}

// The one event that the role may append has the right name, actor and time, whatever the
// role passes as its name.
func TestReadingCannotBeForged_D37(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	pool := asAuditor(t, db)
	ann := patient.ID{UUID: uuid.New()}
	read := audit.Queried{Command: "who-accessed", Filter: "tenant=elm-street", Patient: ann, Personal: true, Count: 12}
	for range 3 {
		if err := accesslog.RecordAuditQuery(t.Context(), postgres.On(pool), "elm-street", "anna@desk7", read); err != nil {
			t.Fatal(err)
		}
	}
	forged := "frontdesk_owner) for staff:x (\n" + strings.Repeat("ö", 200)
	if err := accesslog.RecordAuditQuery(t.Context(), postgres.On(pool), "", forged, audit.Queried{Command: "log"}); err != nil {
		t.Fatal(err)
	}
	e := enginetest.On(t, db.URL)
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	e.Log.Codec = codec
	e.Drain(t)
	log := e.Logged(t)
	if len(log) != 4 || log[2].Stream.Tenant != "elm-street" || log[3].Stream.Tenant != "" {
		t.Fatalf("recorded %+v", log)
	}
	if log[2].Version != 1 || log[1].Stream == log[2].Stream {
		t.Errorf("two readings are in one stream: %+v", log)
	}
	if got := log[0]; got.Event != event.Event(read) || got.Metadata.Actor != event.Operator(postgres.AuditRole, "anna@desk7") {
		t.Errorf("recorded %+v by %+v", got.Event, got.Metadata.Actor)
	}
	if got := log[3].Metadata.Actor; got != event.Operator(postgres.AuditRole, forged) {
		t.Errorf("recorded by %+v", got)
	}
	if about := log[3].Event.(audit.Queried); about.PatientID() != uuid.Nil {
		t.Errorf("a reading of no patient concerns %s", about.Patient)
	}
	var found int
	for _, err := range e.Log.OfPatient(ann.UUID).After(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		found++
	}
	if found != 3 {
		t.Errorf("%d readings are found by the patient", found)
	}
	err = accesslog.RecordAuditQuery(t.Context(), postgres.On(pool), "Elm Street'; DROP", "anna", read)
	if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || !strings.Contains(refused.Message, "no reading") {
		t.Errorf("an odd tenant: %v", err)
	}
	if _, err := pool.Exec(t.Context(), `UPDATE sequencer SET head = 0`); err == nil {
		t.Error("an auditor writes by other means")
	}
}
