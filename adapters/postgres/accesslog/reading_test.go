package accesslog_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/audit"
	"frontdesk/domain/patient"
)

// doctored is record_audit_query with another body. A doctored function stores something
// else, or nothing.
func doctored(returns, body string) string {
	return `DROP FUNCTION record_audit_query;
		CREATE FUNCTION record_audit_query(event_id uuid, of_tenant text, who text, what text, by_filter text, of_patient uuid, personal boolean, shown bigint)
		RETURNS ` + returns + ` LANGUAGE plpgsql SECURITY DEFINER AS $$ ` + body + ` $$;
		GRANT EXECUTE ON FUNCTION record_audit_query TO PUBLIC`
}

const recordHonestly = `DECLARE reading uuid := gen_random_uuid(); BEGIN
	INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
	VALUES (event_id, of_tenant, reading, 1, 'audit.queried.v1', of_patient,
		json_build_object('command', what, 'filter', by_filter, 'patient', of_patient, 'personal', personal, 'count', shown)::text,
		json_build_object('actor', json_build_object('kind', 'operator', 'id', session_user, 'machine', who))::text, clock_timestamp());
	RETURN reading; END`

func TestReadingReadsItsRecordBack_D138(t *testing.T) {
	t.Parallel()
	instead := func(old, other string) string {
		return doctored("uuid", strings.Replace(recordHonestly, old, other, 1))
	}
	read := audit.Queried{Command: "log", Filter: "tenant=elm-street", Patient: patient.ID{UUID: uuid.New()}, Personal: true, Count: 12}
	for what, statement := range map[string]string{
		"does nothing":              doctored("uuid", `BEGIN RETURN NULL; END`),
		"returns nothing":           doctored("void", `BEGIN END`),
		"names a stream of nothing": doctored("uuid", `BEGIN RETURN gen_random_uuid(); END`),
		"names an older reading":    doctored("uuid", `BEGIN RETURN (SELECT stream FROM events LIMIT 1); END`),
		"changes the practice":      instead(`of_tenant,`, `'oak-lane',`),
		"changes the identifier":    instead(`(event_id,`, `(gen_random_uuid(),`),
		"changes the patient":       instead(`of_patient,`, `NULL,`),
		"changes the count":         instead(`'count', shown`, `'count', 0`),
		"changes the name":          instead(`audit.queried.v1`, `audit.archived.v1`),
		"changes the reader":        instead(`'id', session_user`, `'id', 'postgres'`),
		"stores no JSON":            instead(`json_build_object('command', what, 'filter', by_filter, 'patient', of_patient, 'personal', personal, 'count', shown)::text`, `''`),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			pool := asAuditor(t, db)
			if err := accesslog.RecordAuditQuery(t.Context(), postgres.On(pool), "elm-street", "anna@desk7", read); err != nil {
				t.Fatalf("as it is: %v", err)
			}
			enginetest.MustExec(t, db.SuperuserPool(t), statement)
			err := accesslog.RecordAuditQuery(t.Context(), postgres.On(pool), "elm-street", "anna@desk7", read)
			if what == "returns nothing" && err != nil {
				return // Postgres sends a text that is no identifier
			}
			if !errors.Is(err, accesslog.ErrUnrecorded) {
				t.Errorf("the reading was recorded: %v", err)
			}
		})
	}
	t.Run("as the schema has it", func(t *testing.T) {
		t.Parallel()
		db := postgrestest.New(t)
		enginetest.MustExec(t, db.SuperuserPool(t), doctored("uuid", recordHonestly))
		if err := accesslog.RecordAuditQuery(t.Context(), postgres.On(asAuditor(t, db)), "elm-street", "anna@desk7", read); err != nil {
			t.Errorf("a function that records honestly: %v", err)
		}
	})
}

// A trigger that drops the event is found by the reader, too.
func TestReadingFindsDroppedRecord_D138(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	pool := asAuditor(t, db)
	enginetest.MustExec(t, db.SuperuserPool(t), `CREATE FUNCTION dropping() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
		CREATE TRIGGER dropping BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION dropping()`)
	err := accesslog.RecordAuditQuery(t.Context(), postgres.On(pool), "elm-street", "anna@desk7", audit.Queried{Command: "log", Personal: true})
	if !errors.Is(err, accesslog.ErrUnrecorded) {
		t.Errorf("the reading was recorded: %v", err)
	}
}
