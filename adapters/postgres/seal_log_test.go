package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// before is a database that a process of the release before has written to, in clear, and
// that was migrated since.
type before struct {
	t      *testing.T
	db     *postgrestest.Database
	codec  *event.Codec
	owner  *pgxpool.Pool
	events int
}

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

func historyInClear() []event.Recorded {
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	submitted, note := request.ID{UUID: uuid.New()}, record.NoteID{UUID: uuid.New()}
	member := staff.ID{UUID: uuid.New()}
	byApp := event.Metadata{
		Actor:       event.Application(uuid.New(), "application-restricted", claimed),
		Idempotency: event.Idempotency{Key: event.Digest{1}, Body: "beef1234"},
	}
	return []event.Recorded{
		{Stream: patient.StreamOf("elm", ann), Version: 1, At: at, Event: patient.Registered{Patient: ann, Name: "Ann Archer", BirthDate: "1980-02-29"}},
		{Stream: staff.StreamOf("elm", member), Version: 1, At: at, Event: staff.Registered{Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example"}},
		{Stream: request.StreamOf("elm", submitted), Version: 1, At: at, Metadata: byApp, Event: request.Submitted{
			Patient: ann, Type: "medical", Requester: request.ByProxy, Response: []request.Answer{{Question: "healthConcern", Answer: "A cough"}},
			Proxy:       &request.Proxy{FirstName: "Paula Proxy", RelationshipToPatient: "mother"},
			Attachments: []request.Attachment{{ID: request.AttachmentID{UUID: uuid.New()}, FileName: "wound.jpg", ContentType: "image/jpeg", Size: 3}},
		}},
		{Stream: record.NoteStreamOf("elm", note), Version: 1, At: at, Event: record.NoteCreated{Note: note, Patient: ann, Text: "Sleeps badly"}},
		{Stream: patient.StreamOf("elm", ann), Version: 2, At: at, Event: patient.RecordRestricted{Patient: ann, Staff: []staff.ID{member}}},
	}
}

func newBefore(t *testing.T, histories ...[]event.Recorded) *before {
	t.Helper()
	b := &before{t: t, db: postgrestest.New(t)}
	var err error
	b.codec, err = event.NewCodec(domain.Events()...)
	b.must(err)
	_, err = b.db.SuperuserPool(t).Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION frontdesk_owner`)
	b.must(err)
	_, err = postgres.MigrateFrom(t.Context(), b.db.AdminURL, upTo(t, "0020"))
	b.must(err)
	served := b.db.Pool(t)
	for _, history := range histories {
		for _, r := range history {
			b.writtenBefore(served, r)
		}
	}
	_, err = served.Exec(t.Context(), annsRow)
	b.must(err)
	act, err := json.Marshal(claimed)
	b.must(err)
	_, err = served.Exec(t.Context(), annsCall, ann, string(act))
	b.must(err)
	b.must(postgres.NewSequencer(served, nil, nil, nil).Drain(t.Context()))
	served.Close()
	_, err = postgres.Migrate(t.Context(), b.db.AdminURL)
	b.must(err)
	b.owner = b.db.AdminPool(t)
	return b
}

func (b *before) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// writtenBefore appends as the release before did.
func (b *before) writtenBefore(pool *pgxpool.Pool, r event.Recorded) {
	b.t.Helper()
	s, err := b.codec.Clear(r)
	b.must(err)
	var about *uuid.UUID
	if p, ok := r.Event.(event.Patient); ok && p.PatientID() != uuid.Nil {
		id := p.PatientID()
		about = &id
	}
	_, err = pool.Exec(b.t.Context(), `
		INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		event.NewID(), s.Stream.Tenant, s.Stream.ID, s.Version, s.Name, about, string(s.Data), string(s.Metadata), s.At)
	b.must(err)
	b.events++
}

// keyring is one of a process that starts now.
func (b *before) keyring(pool *pgxpool.Pool) *postgres.Keyring {
	b.t.Helper()
	keys := &postgres.Keyring{DB: postgres.On(pool), Codec: b.codec, Master: sealing.MasterKey{1}}
	b.must(keys.Start(b.t.Context()))
	return keys
}

// process is a store of a process that starts now, and serves.
func (b *before) process() *postgres.Store {
	b.t.Helper()
	pool := b.db.Pool(b.t)
	keys := b.keyring(pool)
	atOnce := projections.AtOnce()
	if !keys.Sealed() {
		atOnce = projections.InClear(atOnce)
	}
	return &postgres.Store{DB: postgres.On(pool), Codec: b.codec, Keys: keys, AtOnce: atOnce, Now: time.Now}
}

func (b *before) note(s *postgres.Store, text string) error {
	id := record.NoteID{UUID: event.NewID()}
	_, err := s.Append(b.t.Context(), event.Change{
		Stream: record.NoteStreamOf("elm", id), Events: []event.Event{record.NoteCreated{Note: id, Patient: ann, Text: text}},
	})
	return err
}

func (b *before) sealLog(progress func(done, all int64)) *postgres.SealLog {
	b.t.Helper()
	keys := b.keyring(b.owner)
	store := &postgres.Store{DB: postgres.On(b.owner), Codec: b.codec, Keys: keys, Now: time.Now}
	return &postgres.SealLog{Pool: b.owner, Keys: keys, Store: store, Log: postgres.Log{DB: b.owner, Codec: b.codec}, Progress: progress}
}

// read is the whole log as somebody sees it who has the master key.
func (b *before) read() (all []event.Recorded) {
	b.t.Helper()
	b.must(postgres.NewSequencer(b.owner, nil, nil, nil).Drain(b.t.Context()))
	for e, err := range (postgres.Log{DB: b.owner, Codec: b.codec, Opens: b.keyring(b.owner)}).After(b.t.Context(), 0) {
		b.must(err)
		all = append(all, e)
	}
	return all
}

// calls are whom the recorded calls were made for, as somebody sees them who has the master
// key.
func (b *before) calls() (all []*event.OnBehalfOf) {
	b.t.Helper()
	for c, err := range (postgres.AccessRecord{DB: postgres.On(b.owner), Keys: b.keyring(b.owner)}).Calls(b.t.Context(), postgres.CallFilter{Tenant: "elm"}) {
		b.must(err)
		all = append(all, c.Act)
	}
	return all
}

// found are the personal values in any table but for what is clear of staff.
func (b *before) found() (values []string) {
	b.t.Helper()
	rows, err := b.owner.Query(b.t.Context(), `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'staff'`)
	b.must(err)
	var tables []string
	for rows.Next() {
		var name string
		b.must(rows.Scan(&name))
		tables = append(tables, name)
	}
	b.must(rows.Err())
	for _, table := range tables {
		var text string
		b.must(b.owner.QueryRow(b.t.Context(), `SELECT coalesce(string_agg(t::text, ' '), '') FROM `+table+` t`).Scan(&text))
		for _, value := range secrets {
			if strings.Contains(text, value) {
				values = append(values, value+" in "+table)
			}
		}
	}
	return values
}

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

func (b *before) connected(as string) *pgxpool.Pool {
	b.t.Helper()
	config, err := pgxpool.ParseConfig(b.db.URL)
	b.must(err)
	config.ConnConfig.RuntimeParams["application_name"] = as
	pool, err := pgxpool.NewWithConfig(b.t.Context(), config)
	b.must(err)
	b.t.Cleanup(pool.Close)
	b.must(pool.Ping(b.t.Context()))
	return pool
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
