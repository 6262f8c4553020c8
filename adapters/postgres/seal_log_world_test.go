package postgres_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

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
	return &postgres.Store{DB: postgres.On(pool), Codec: b.codec, Keys: keys, AtOnce: atOnce, Now: atNoon}
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
	store := &postgres.Store{DB: postgres.On(b.owner), Codec: b.codec, Keys: keys, Now: atNoon}
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
