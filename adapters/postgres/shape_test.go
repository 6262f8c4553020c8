package postgres_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/migrations"
)

var updateShape = flag.Bool("update-shape", false, "write migrations/shape.txt")

func TestSchemaIsDeclared(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	found, err := postgres.FormattedShape(t.Context(), db.Pool(t))
	if err != nil {
		t.Fatal(err)
	}
	if *updateShape {
		if err := os.WriteFile("../../migrations/shape.txt", []byte(found), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(migrations.Shape, "\n"), strings.Split(found, "\n")); diff != "" {
		t.Errorf("the migrations make another schema than migrations/shape.txt has (-declared +made).\n"+
			"If that is meant: go test ./adapters/postgres -run SchemaIsDeclared -update-shape\n%s", diff)
	}
}

// Every role that serves or audits reads the same, also after retain has made months and
// a rebuild has left its schema.
func TestSchemaIsTheSameToAll(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	enginetest.MustExec(t, db.AdminPool(t), `
		CREATE TABLE access_record_2026_05 PARTITION OF access_record FOR VALUES FROM ('90000000-0000-0000-0000-000000000000') TO ('a0000000-0000-0000-0000-000000000000');
		CREATE TRIGGER access_record_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON access_record_2026_05 FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
		CREATE SCHEMA kept; CREATE TABLE kept.patients (LIKE patients); CREATE INDEX notes ON events (name)`)
	enginetest.MustExec(t, db.SuperuserPool(t), `ALTER ROLE frontdesk_app IN DATABASE "`+nameOf(t, db)+`" SET statement_timeout = '1min'`)
	for who, url := range map[string]string{
		"the serving role": db.URL, "the owner": db.AdminURL, "a superuser": db.SuperuserURL,
		"the auditors' role": strings.Replace(db.URL, postgres.AppRole, postgres.AuditRole, 1),
	} {
		pool, err := postgres.NewPool(t.Context(), url, 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		if found, err := postgres.SchemaDifferences(t.Context(), pool); err != nil || len(found) > 0 {
			t.Errorf("to %s: %v, %v", who, found, err)
		}
	}
}

func nameOf(t *testing.T, db *postgrestest.Database) (name string) {
	t.Helper()
	if err := db.Pool(t).QueryRow(t.Context(), `SELECT current_database()`).Scan(&name); err != nil {
		t.Fatal(err)
	}
	return name
}

// An owner or a superuser can change the serving role's view of the data. Each change is
// named.
func TestSchemaDifferencesAreNamed(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string][]string{
		`ALTER TABLE events ENABLE ROW LEVEL SECURITY; CREATE POLICY hides ON events FOR SELECT USING (name <> 'care-record.note-created.v1')`: {
			"policy events.hides: added", "row security events: added"},
		`ALTER ROLE frontdesk_app IN DATABASE %s SET search_path = doctored, public`: {"setting search_path of frontdesk_app: added"},
		`ALTER DATABASE %s SET row_security = off`:                                   {"setting row_security of the database: added"},
		`ALTER TABLE events DISABLE TRIGGER events_append_only`:                      {"trigger events.events_append_only: changed"},
		`DROP TRIGGER events_append_only ON events`:                                  {"trigger events.events_append_only: missing"},
		`ALTER TABLE upload_chunks DISABLE TRIGGER ALL`:                              {"trigger of a foreign key of upload_chunks: added"},
		`CREATE FUNCTION drops() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER drops BEFORE INSERT ON answers FOR EACH ROW EXECUTE FUNCTION drops()`: {
			"function drops(): added", "right EXECUTE on function drops() to PUBLIC: added", "trigger answers.drops: added"},
		`DROP TRIGGER access_record_append_only ON access_record_default`: {"trigger access_record (partition).access_record_append_only: missing"},
		`CREATE TABLE access_record_2026_05 PARTITION OF access_record FOR VALUES FROM ('90000000-0000-0000-0000-000000000000') TO ('a0000000-0000-0000-0000-000000000000');
			ALTER TABLE access_record_2026_05 OWNER TO frontdesk_owner; GRANT SELECT ON access_record_2026_05 TO frontdesk_audit`: {
			"trigger access_record_2026_05.access_record_append_only of a partition that lacks it: added"},
		`CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`: {
			"function refuse_change(): changed"},
		`ALTER FUNCTION record_audit_query SECURITY INVOKER`: {
			"function record_audit_query(event_id uuid, of_tenant text, who text, what text, by_filter text, of_patient uuid, personal boolean, shown bigint): changed"},
		`ALTER FUNCTION sequence_events(int, boolean) OWNER TO postgres`: {
			"function sequence_events(most integer, look boolean, OUT astray boolean, OUT now_epoch integer, OUT now_head bigint, OUT more boolean, OUT open boolean, OUT crowded boolean): changed"},
		`GRANT UPDATE ON events TO frontdesk_app`:                       {"right UPDATE on events to frontdesk_app: added"},
		`GRANT SELECT (hash) ON staff_passwords TO frontdesk_audit`:     {"right SELECT on staff_passwords (hash) to frontdesk_audit: added"},
		`REVOKE EXECUTE ON FUNCTION commit_safely() FROM frontdesk_app`: {"right EXECUTE on function commit_safely() to frontdesk_app: missing"},
		`GRANT CREATE ON SCHEMA public TO PUBLIC`:                       {"right CREATE on schema public to PUBLIC: added"},
		`ALTER DEFAULT PRIVILEGES FOR ROLE frontdesk_owner GRANT UPDATE ON TABLES TO frontdesk_app`: {
			"right UPDATE on later objects of kind r to frontdesk_app: added"},
		`CREATE RULE keeps AS ON DELETE TO personal_keys DO INSTEAD NOTHING`:  {"rule personal_keys.keeps: added"},
		`ALTER TABLE staff DROP CONSTRAINT staff_username`:                    {"constraint staff.staff_username: missing"},
		`ALTER DOMAIN managers_left DROP CONSTRAINT staff_last_manager`:       {"constraint managers_left.staff_last_manager: missing"},
		`ALTER TABLE answers ALTER COLUMN body DROP NOT NULL`:                 {"column answers.body: changed"},
		`ALTER SEQUENCE events_position_seq CACHE 20`:                         {"sequence events_position_seq counts: changed"},
		`CREATE OR REPLACE VIEW sequence_fault AS SELECT NULL::text AS fault`: {"view sequence_fault: changed"},
		`CREATE TABLE more () INHERITS (patients)`: {
			"column more.patient: added", "column more.restricted: added", "column more.tenant: added", "inheritance more of patients: added", "table more: added"},
		`CREATE FUNCTION hears() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; REVOKE ALL ON FUNCTION hears() FROM PUBLIC; CREATE EVENT TRIGGER hears ON ddl_command_start EXECUTE FUNCTION hears()`: {
			"event trigger hears: added", "function hears(): added"},
		`ALTER TABLE practices OWNER TO postgres`: {"table practices: changed"},
	} {
		t.Run(statement, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			if strings.Contains(statement, "%s") {
				statement = fmt.Sprintf(statement, `"`+nameOf(t, db)+`"`)
			}
			enginetest.MustExec(t, db.SuperuserPool(t), statement)
			pool := db.Pool(t)
			var found []string
			differences, err := postgres.SchemaDifferences(t.Context(), pool)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range differences {
				found = append(found, d.String())
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
