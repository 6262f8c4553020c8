package eventstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// ward is a practice served by two processes, each with keys of its own in memory.
type ward struct {
	super     *pgxpool.Pool
	processes [2]*process
	clock     *commandtest.Clock
	db        *postgrestest.Database
}

// pass lets time pass in all processes and in the database.
func (w *ward) pass(t *testing.T, by time.Duration) {
	t.Helper()
	w.clock.Pass(by)
	w.db.PassClock(t, by)
}

// process is a store and its keyring.
type process struct {
	pool  *pgxpool.Pool
	codec *event.Codec
	keys  *keyring.Keyring
	store *eventstore.Store
	desk  commands.Desk
}

const street = "elm-street"

// newWard opens two processes at a URL of a database.
func newWard(t *testing.T, db *postgrestest.Database, url string) *ward {
	t.Helper()
	w := &ward{super: db.SuperuserPool(t), clock: commandtest.NewClock(commandtest.Noon), db: db}
	for n := range w.processes {
		w.processes[n] = w.process(t, url)
	}
	w.do(t, w.processes[0].desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: street, Name: "Elm Street"}))
	return w
}

func (w *ward) process(t *testing.T, url string) *process {
	t.Helper()
	codec, err := event.NewCodec(domain.Events()...)
	w.do(t, err)
	pool, err := postgres.NewPool(context.WithoutCancel(t.Context()), url, 12)
	w.do(t, err)
	t.Cleanup(pool.Close)
	p := &process{pool: pool, codec: codec, keys: &keyring.Keyring{DB: postgres.On(pool), Codec: codec, Masters: sealing.NewRing(sealing.MasterKey{1})}}
	w.do(t, p.keys.Start(t.Context()))
	p.store = &eventstore.Store{DB: postgres.On(pool), Codec: codec, Keys: p.keys, AtOnce: projections.AtOnce(), Now: w.clock.Now}
	p.desk = commands.Desk{
		Store: p.store, Patients: projections.Patients{DB: pool}, Staff: projections.Staff{DB: pool}, Now: w.clock.Now,
		Erasures: eventstore.Eraser{Erasures: projections.Erasures{DB: pool}, Store: p.store},
	}
	return p
}

func (w *ward) do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *ward) count(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	w.do(t, w.super.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// register returns a new patient, whose key both processes have in memory.
func (w *ward) register(t *testing.T) patient.ID {
	t.Helper()
	id, err := w.processes[0].desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: street, Name: "Ann Archer", BirthDate: "1980-02-29"})
	w.do(t, err)
	for _, p := range w.processes {
		w.do(t, p.note(t.Context(), id))
	}
	return id
}

// note appends a note as a caller does that has already checked that the patient exists.
func (p *process) note(ctx context.Context, about patient.ID) error {
	id := record.NoteID{UUID: event.NewID()}
	_, err := p.store.Append(ctx, event.Change{
		Stream: record.NoteStreamOf(street, id), Events: []event.Event{record.NoteCreated{Note: id, Patient: about, Text: "has a cough"}},
	})
	return err
}

func (p *process) ask(ctx context.Context, about patient.ID) error {
	_, err := p.store.Append(ctx, event.Change{
		Stream: request.StreamOf(street, request.ID{UUID: event.NewID()}),
		Events: []event.Event{request.Submitted{Patient: about, Type: request.Admin, Response: []request.Answer{{Question: "requestDetails", Answer: "a letter"}}}},
	})
	return err
}

func operatedBy(ctx context.Context, operator string) context.Context {
	return event.WithMetadata(ctx, event.Metadata{Actor: event.Operator(operator, operator+"@desk")})
}
