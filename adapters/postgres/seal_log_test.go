package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
)

var (
	ann      = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	annsRow  = `INSERT INTO patients (tenant, patient, name, birth_date) VALUES ('elm', '` + ann.String() + `', 'Ann Archer', '1980-02-29')`
	claimed  = &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Strange", Email: "Strange@hosp.example", GMCNumber: "7654321"}}
	annsCall = `INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, patient, status, code, reason, act, token_hash)
		VALUES ('0190c7a2-0000-7000-8000-0000000000ca', now(), 'elm', gen_random_uuid(), 'application-restricted', 'create-note', $1, 200, '', '', $2, '\x01')`
	// secrets are all personal values of the history.
	secrets = []string{
		"Ann Archer", "1980-02-29", "A cough", "Paula Proxy", "mother", "wound.jpg", "beef1234", "Sleeps badly",
		"Dr Strange", "Strange@hosp.example", "7654321", "Dr Lee", "lee@elm.example", "dr.lee",
	}
)

func TestALogInClearIsSealedBesideAService_D75(t *testing.T) {
	t.Parallel()
	b := newBefore(t, historyInClear())
	was := b.read()
	running := b.process()
	b.must(b.note(running, "Sleeps badly again"))
	if found := b.found(); len(found) < len(secrets) {
		t.Fatalf("before it is sealed, the tables hold %v", found)
	}

	_, _, err := b.sealLog(nil).Run(t.Context()) // begins
	b.must(err)
	if err := b.note(running, "too late"); !errors.Is(err, postgres.ErrUnavailable) {
		t.Errorf("who started before goes on writing in clear: %v", err)
	}
	b.must(b.note(b.process(), "Sleeps well"))
	is := b.read()
	if diff := cmp.Diff(was, is[:len(was)]); diff != "" {
		t.Errorf("what was read before reads differently (-before +after):\n%s", diff)
	}
	if last := is[len(is)-1]; len(is) != len(was)+3 || last.Event.(record.NoteCreated).Text != "Sleeps well" {
		t.Errorf("the log ends with %+v", is[len(was):])
	}
	if found := b.found(); len(found) > 0 {
		t.Errorf("sealed, the tables hold %v", found)
	}
	if diff := cmp.Diff([]*event.OnBehalfOf{claimed}, b.calls()); diff != "" {
		t.Errorf("whom a recorded call was made for reads differently (-before +after):\n%s", diff)
	}
	events, changed, err := b.sealLog(nil).Run(t.Context())
	if b.must(err); changed || events != 5 {
		t.Errorf("a second run: %d events in clear, changed: %t", events, changed)
	}
	if _, err := b.owner.Exec(t.Context(), `SELECT seal_events('{1}', '{x}', '{y}', '{z}')`); err == nil || !strings.Contains(err.Error(), "append-only") {
		t.Errorf("once that is done, events are changed again: %v", err)
	}
}

// While processes of another kind are connected, the log is not sealed behind their backs.
func TestTheLogIsNotSealedWhileSomebodyReadsOrWritesInClear_D75(t *testing.T) {
	t.Parallel()
	b := newBefore(t, historyInClear())
	older := b.connected("frontdesk")
	_, _, err := b.sealLog(nil).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "processes of an older release are connected") {
		t.Errorf("beside a process of the release before: %v", err)
	}
	older.Close()
	inClear, running := b.connected("frontdesk clear"), b.process()
	_, _, err = b.sealLog(nil).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "restart every process of frontdesk, then run this again") {
		t.Errorf("beside a process that writes in clear: %v", err)
	}
	b.must(b.note(running, "A cough"))
	b.must(b.note(b.process(), "by one that seals: Ann has no key yet"))
	inClear.Close()
	events, _, err := b.sealLog(nil).Run(t.Context())
	if b.must(err); events != 5 {
		t.Errorf("%d events were in clear", events)
	}
	if found := b.found(); len(found) > 0 {
		t.Errorf("sealed, the tables hold %v", found)
	}
}

// What audits have kept holds names, too.
func TestTheLogIsNotSealedBesideReadModelsThatHoldNames_D75(t *testing.T) {
	t.Parallel()
	b := newBefore(t, historyInClear())
	_, err := b.owner.Exec(t.Context(), `CREATE SCHEMA "kept May";
		CREATE TABLE "kept May".progress (idx bigint); CREATE TABLE "kept May".patients (LIKE patients INCLUDING ALL);
		CREATE SCHEMA others; CREATE TABLE others.patients (name text)`)
	b.must(err)
	_, _, err = b.sealLog(nil).Run(t.Context())
	if err == nil || !strings.HasSuffix(err.Error(), `drop them, then run this again: DROP SCHEMA "kept May" CASCADE`) {
		t.Fatalf("error = %v", err)
	}
	_, err = b.owner.Exec(t.Context(), `DROP SCHEMA "kept May" CASCADE`)
	b.must(err)
	events, _, err := b.sealLog(nil).Run(t.Context())
	if b.must(err); events != 4 {
		t.Errorf("%d events were in clear", events)
	}
}

// Whenever it is stopped, everything can be read, and the next run goes on from there.
func TestSealingTheLogIsResumed_D75(t *testing.T) {
	t.Parallel()
	var notes []event.Recorded
	for range 2200 {
		id := record.NoteID{UUID: uuid.New()}
		notes = append(notes, event.Recorded{Stream: record.NoteStreamOf("elm", id), Version: 1, Event: record.NoteCreated{Note: id, Patient: ann, Text: "Sleeps badly"}})
	}
	b := newBefore(t, historyInClear(), notes)
	was := b.read()
	for range 2 {
		ctx, stop := context.WithCancel(t.Context())
		if _, _, err := b.sealLog(func(int64, int64) { stop() }).Run(ctx); err == nil {
			t.Fatal("it was not stopped")
		}
		if is := b.read(); !cmp.Equal(was, is) {
			t.Fatal("half sealed, the log reads differently")
		}
	}
	if found := b.found(); len(found) == 0 {
		t.Fatal("it was finished before it was stopped")
	}
	pages := 0
	events, _, err := b.sealLog(func(int64, int64) { pages++ }).Run(t.Context())
	if b.must(err); pages != 1 || events != int64(b.events-1) {
		t.Errorf("the last run took %d pages, and in all %d events were in clear, want %d", pages, events, b.events-1)
	}
	if is := b.read(); !cmp.Equal(was, is[:len(was)]) {
		t.Error("sealed, the log reads differently")
	}
	if found := b.found(); len(found) > 0 {
		t.Errorf("sealed, the tables hold %v", found)
	}
}
