package eventstore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

func TestStoreConforms(t *testing.T) {
	t.Parallel()
	eventtest.Conformance(t, func(t *testing.T) eventtest.Store {
		t.Helper()
		e := newEngine(t)
		e.seal(t)
		ann := patient.ID{UUID: eventtest.Ann}
		e.Append(t, patient.StreamOf("elm-street", ann), 0, patient.Registered{Patient: ann, Name: "Ann Archer", BirthDate: "1980-02-29"})
		return e.Store
	})
}

// seal has the store seal, and know the events of the domain.
func (e *engine) seal(t *testing.T) {
	t.Helper()
	codec, err := event.NewCodec(append(eventtest.Events(), domain.Events()...)...)
	if err != nil {
		t.Fatal(err)
	}
	e.Store.Codec, e.Log.Codec = codec, codec
	e.Store.Keys = &keyring.Keyring{DB: e.Store.DB, Codec: codec, Masters: sealing.NewRing(sealing.MasterKey{1, 2, 3})}
	if err := e.Store.Keys.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// rowFor is a projection that keeps a row for each event, in a table where a note is
// unique: by a constraint of a name that means a refusal.
type rowFor struct{}

func (rowFor) Name() string { return "notes.v1" }

func (rowFor) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case eventtest.Noted:
		do(`INSERT INTO test.notes (note) VALUES ($1)`, e.Note)
	case eventtest.Marked:
		do(`INSERT INTO test.notes (note) VALUES ($1)`, e.Mark)
	}
}

func withNotes(t *testing.T) *engine {
	t.Helper()
	db := postgrestest.New(t)
	_, err := db.AdminPool(t).Exec(t.Context(),
		`CREATE SCHEMA test; GRANT USAGE ON SCHEMA test TO frontdesk_app;
		 CREATE TABLE test.notes (note text CONSTRAINT staff_username UNIQUE); GRANT ALL ON test.notes TO frontdesk_app`)
	if err != nil {
		t.Fatal(err)
	}
	e := engineOn(t, db.URL)
	e.Store.AtOnce = []projections.Projection{rowFor{}}
	return e
}

func (e *engine) count(t *testing.T, table string) (n int) {
	t.Helper()
	if err := e.Pool.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestInlineProjectionIsReadAtOnce(t *testing.T) {
	t.Parallel()
	e := withNotes(t)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Noted{Note: "a"}, eventtest.Noted{Note: "b"})
	if got := e.count(t, "test.notes"); got != 2 {
		t.Errorf("the read model has %d rows, want 2", got)
	}
}

func TestDuplicateIsRefusedWithItsEvents(t *testing.T) {
	t.Parallel()
	e := withNotes(t)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Noted{Note: "a"})

	_, err := e.Store.Append(t.Context(), event.Change{Stream: enginetest.NewStream(), Events: []event.Event{eventtest.Noted{Note: "a"}}})
	if refusal, ok := errors.AsType[*fault.Error](err); !ok || refusal.Code != "username-taken" {
		t.Errorf("append: %v, want the refusal of the constraint's name", err)
	}
	if got := e.count(t, "events"); got != 1 {
		t.Errorf("%d events are stored, want 1", got)
	}
}

func TestEventsCannotBeChanged(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
	e.Drain(t)
	for _, statement := range []string{
		`UPDATE events SET data = '{}'`, `DELETE FROM events`, `TRUNCATE events`,
		`UPDATE log SET idx = 7`, `DELETE FROM log`, `TRUNCATE log`,
	} {
		if _, err := e.Pool.Exec(t.Context(), statement); err == nil {
			t.Errorf("the serving role may %s", statement)
		}
		if _, err := db.AdminPool(t).Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("the owner may %s: %v", statement, err)
		}
	}
}

func TestEventsOfAPatientAreIndexed(t *testing.T) {
	t.Parallel()
	e, ann := newEngine(t), uuid.New()
	e.Append(t, enginetest.NewStream(), 0, eventtest.Noted{Patient: ann}, eventtest.Noted{}, eventtest.Counted{})
	var found int
	err := e.Pool.QueryRow(t.Context(),
		`SELECT count(*) FILTER (WHERE patient = $1) * 10 + count(patient) FROM events`, ann).Scan(&found)
	if err != nil || found != 11 {
		t.Errorf("found %d, %v; want one event of the patient, and of no other", found, err)
	}
}
