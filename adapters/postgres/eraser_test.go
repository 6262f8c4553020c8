package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain"
	"frontdesk/domain/erasure"
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
}

// process is a store and its keyring.
type process struct {
	pool  *pgxpool.Pool
	codec *event.Codec
	keys  *postgres.Keyring
	store *postgres.Store
	desk  commands.Desk
}

const street = "elm-street"

// newWard opens two processes at a URL of a database.
func newWard(t *testing.T, db *postgrestest.Database, url string) *ward {
	t.Helper()
	w := &ward{super: db.SuperuserPool(t), clock: commandtest.NewClock(commandtest.Noon)}
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
	p := &process{pool: pool, codec: codec, keys: &postgres.Keyring{DB: postgres.On(pool), Codec: codec, Master: sealing.MasterKey{1}}}
	w.do(t, p.keys.Start(t.Context()))
	p.store = &postgres.Store{DB: postgres.On(pool), Codec: codec, Keys: p.keys, AtOnce: projections.AtOnce(), Now: w.clock.Now}
	p.desk = commands.Desk{
		Store: p.store, Patients: projections.Patients{DB: pool}, Staff: projections.Staff{DB: pool}, Now: w.clock.Now,
		Erasures: postgres.Eraser{Erasures: projections.Erasures{DB: pool}, Store: p.store},
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

// note appends a note as somebody does who has asked before whether the patient exists.
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

// askFor asks for an erasure, and lets a day pass.
func (w *ward) askFor(t *testing.T, about patient.ID) commands.ConfirmErasure {
	t.Helper()
	asked, err := w.processes[0].desk.ErasePatient(operatedBy(t.Context(), "alice"), commands.ErasePatient{
		Tenant: street, Patient: about, Basis: erasure.RetentionEnded, Reason: "ten years have passed",
	})
	w.do(t, err)
	w.clock.Pass(erasure.Soonest)
	return commands.ConfirmErasure{Person: asked.Person, Erasure: asked.Erasure}
}

// race has 16 writers hammer a patient while they are erased.
func (w *ward) race(t *testing.T, about patient.ID) {
	t.Helper()
	confirm := w.askFor(t, about)
	var writers sync.WaitGroup
	var done atomic.Bool
	begun := make(chan struct{}, 16)
	for n := range 16 {
		p := w.processes[n%2]
		writers.Go(func() {
			for write := p.note; ; write = p.ask {
				late := done.Load()
				err := write(t.Context(), about)
				select {
				case begun <- struct{}{}:
				default:
				}
				if errors.Is(err, patient.ErrUnknown) {
					return
				}
				if err != nil || late {
					t.Errorf("appended after the erasure: %t; error = %v", late, err)
					return
				}
			}
		})
	}
	for range cap(begun) {
		<-begun
	}
	err := w.processes[0].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), confirm)
	done.Store(true)
	if err != nil {
		t.Error(err)
	}
	writers.Wait()
}

// wantNothingLate fails if an event about somebody comes after their erasure, or one of
// their keys is left.
func (w *ward) wantNothingLate(t *testing.T, erased ...patient.ID) {
	t.Helper()
	ids := make([]uuid.UUID, len(erased))
	for n, id := range erased {
		ids[n] = id.UUID
	}
	for what, sql := range map[string]string{
		"events after the erasure": `SELECT count(*) FROM events e JOIN events g ON g.patient = e.patient AND g.name = 'patient.erased.v1'
			WHERE e.patient = ANY ($1) AND e.position > g.position`,
		"keys":                    `SELECT count(*) FROM personal_keys WHERE holder = ANY ($1) OR patient = ANY ($1)`,
		"keys of requests":        `SELECT count(*) FROM personal_keys k JOIN events e ON e.stream = k.holder WHERE e.patient = ANY ($1)`,
		"entries of care records": `SELECT count(*) FROM record_entries WHERE patient = ANY ($1)`,
		"requests that were missed": `SELECT count(DISTINCT stream) FROM events WHERE patient = ANY ($1) AND name = 'patient-request.submitted.v1'
			AND NOT EXISTS (SELECT FROM erasures WHERE kind = 4 AND holder = events.stream)`,
	} {
		if n := w.count(t, sql, ids); n > 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	if n := w.count(t, `SELECT count(*) FROM erasures WHERE kind = 1 AND holder = ANY ($1)`, ids); n != len(ids) {
		t.Errorf("%d of %d are erased", n, len(ids))
	}
}

func TestNothingIsAppendedAboutSomebodyWhoIsErased_D70(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	var erased []patient.ID
	for range 8 {
		ann := w.register(t)
		w.race(t, ann)
		erased = append(erased, ann)
	}
	w.wantNothingLate(t, erased...)
	if n := w.count(t, `SELECT count(*) FROM events WHERE name = 'patient-request.submitted.v1'`); n < 8 {
		t.Errorf("only %d requests were stored: nobody has raced", n)
	}
}

// What was sealed is [erased] for a process that had the key, once it has looked who is
// erased. Others' data stays.
func TestAProcessForgetsTheKeysOfWhoeverIsErased_D70(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	ann, bill := w.register(t), w.register(t)
	w.do(t, w.processes[1].ask(t.Context(), ann))
	shown := func(about patient.ID) string {
		t.Helper()
		p := w.processes[1]
		log := postgres.Log{DB: p.pool, Codec: p.codec, Opens: p.keys}
		events, err := log.Unsequenced(t.Context())
		w.do(t, err)
		var text strings.Builder
		for _, e := range events {
			if is, ok := e.Event.(event.Patient); ok && is.PatientID() == about.UUID {
				data, err := json.Marshal(e.Event)
				w.do(t, err)
				text.Write(data)
			}
		}
		return text.String()
	}
	before := shown(ann)
	if !strings.Contains(before, "Ann Archer") || !strings.Contains(before, "a letter") {
		t.Fatalf("the other process does not read\n%s", before)
	}
	w.do(t, w.processes[0].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), w.askFor(t, ann)))
	since, err := w.processes[1].keys.Evict(t.Context(), time.Time{})
	w.do(t, err)
	after := shown(ann)
	for _, value := range []string{"Ann Archer", "1980-02-29", "has a cough", "a letter"} {
		if strings.Contains(after, value) || !strings.Contains(before, value) {
			t.Errorf("%q is still shown:\n%s", value, after)
		}
	}
	if !strings.Contains(after, `"name":"[erased]"`) || !strings.Contains(after, `"answer":"[erased]"`) {
		t.Errorf("erased values are shown as\n%s", after)
	}
	if !strings.Contains(shown(bill), "Ann Archer") { // they have the same name
		t.Error("somebody else's name has gone, too")
	}
	w.do(t, w.processes[0].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), w.askFor(t, bill)))
	if _, err := w.processes[1].keys.Evict(t.Context(), since); err != nil || strings.Contains(shown(bill), "Ann Archer") {
		t.Errorf("the second look has not found the second erasure: %v", err)
	}
}

// A key that is gone without an erasure is lost, and nobody takes it for erased.
func TestALostKeyIsNoErasure_D69(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	ann, bill := w.register(t), w.register(t)
	w.do(t, w.processes[0].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), w.askFor(t, ann)))
	if _, err := w.super.Exec(t.Context(), `DELETE FROM personal_keys WHERE holder = $1`, bill); err != nil {
		t.Fatal(err)
	}
	fresh := w.process(t, db.URL)
	log := postgres.Log{DB: fresh.pool, Codec: fresh.codec, Opens: fresh.keys}
	if _, err := log.Unsequenced(t.Context()); !errors.Is(err, postgres.ErrKeyLost) {
		t.Errorf("read with %v, want %v", err, postgres.ErrKeyLost)
	}
	if err := fresh.note(t.Context(), ann); !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("a note about who is erased: %v", err)
	}
	if err := fresh.note(t.Context(), bill); !errors.Is(err, postgres.ErrKeyLost) {
		t.Errorf("a note under a lost key: %v", err)
	}
}

// Whoever is in the eraser's way is waited for, in short attempts, and appends go on
// between them.
func TestTheEraserKeepsNobodyWaiting_D70(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	ann, bill := w.register(t), w.register(t)
	confirm := w.askFor(t, ann)
	slow, err := w.super.Begin(t.Context())
	w.do(t, err)
	if _, err := slow.Exec(t.Context(), `LOCK TABLE erasures IN ROW SHARE MODE`); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- w.processes[0].desk.ConfirmErasure(operatedBy(context.WithoutCancel(t.Context()), "bob"), confirm)
	}()
	for range 20 {
		w.do(t, w.processes[1].note(t.Context(), bill))
	}
	w.do(t, w.processes[1].note(t.Context(), ann)) // nothing has begun
	w.do(t, slow.Commit(t.Context()))
	w.do(t, <-done)
	w.wantNothingLate(t, ann)
}

// Of two who confirm at once, one erases, and both are told that it is done.
func TestTwoConfirmAnErasureAtOnce_D70(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	for range 5 {
		ann := w.register(t)
		confirm := w.askFor(t, ann)
		var both sync.WaitGroup
		for n, operator := range []string{"bob", "carol"} {
			both.Go(func() {
				if err := w.processes[n].desk.ConfirmErasure(operatedBy(t.Context(), operator), confirm); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		w.wantNothingLate(t, ann)
	}
}

// Where events are in clear, to destroy a key would hide nothing.
func TestNobodyIsErasedWhereEventsAreClear_D70(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	ann := w.register(t)
	confirm := w.askFor(t, ann)
	if _, err := w.super.Exec(t.Context(), `UPDATE sealing SET since = NULL`); err != nil {
		t.Fatal(err)
	}
	err := w.processes[0].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), confirm)
	if !errors.Is(err, postgres.ErrUnsealed) {
		t.Errorf("error = %v, want %v", err, postgres.ErrUnsealed)
	}
	w.do(t, w.processes[1].note(t.Context(), ann))
}

// A connection that fails at any statement leaves all of an erasure or nothing.
func TestAnErasureIsDoneOrNotBegun_D70(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	for n := 1; ; n++ {
		ann := w.register(t)
		w.do(t, w.processes[0].ask(t.Context(), ann))
		confirm := w.askFor(t, ann)
		failing, broke := w.failing(t, db, n)
		err := failing.desk.ConfirmErasure(operatedBy(t.Context(), "bob"), confirm)
		var keys, rows, erased int // in one snapshot: a commit whose answer is lost may still be under way
		w.do(t, w.super.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM personal_keys WHERE holder = $1 OR patient = $1),
			(SELECT count(*) FROM record_entries WHERE patient = $1), (SELECT count(*) FROM erasures WHERE holder = $1)
				+ (SELECT count(*) FROM events WHERE patient = $1 AND name = 'patient.erased.v1')`, ann).Scan(&keys, &rows, &erased))
		if done, notBegun := keys+rows == 0 && erased == 2, keys == 2 && rows == 3 && erased == 0; !done && !notBegun {
			t.Fatalf("cut off at message %d: %d keys, %d rows, erased %d; %v", n, keys, rows, erased, err)
		}
		if err == nil && erased == 0 {
			t.Fatalf("cut off at message %d: it is said to be done", n)
		}
		w.do(t, w.processes[1].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), confirm)) // and then it is
		w.wantNothingLate(t, ann)
		if !broke() {
			if n < 10 {
				t.Errorf("only %d messages were sent", n)
			}
			return
		}
	}
}

// failing returns a process whose connection is cut off: before the n-th message is sent, in
// the middle of it, or before it is answered. It says whether that has happened.
func (w *ward) failing(t *testing.T, db *postgrestest.Database, n int) (*process, func() bool) {
	t.Helper()
	config, err := pgxpool.ParseConfig(db.URL)
	w.do(t, err)
	config.MaxConns = 1
	cut := &cutOff{}
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return &cutConn{conn, cut}, err
	}
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(t.Context()), config)
	w.do(t, err)
	t.Cleanup(pool.Close)
	w.do(t, pool.Ping(t.Context()))
	p := *w.processes[0]
	p.store = &postgres.Store{DB: postgres.On(pool), Codec: p.codec, Keys: p.keys, AtOnce: projections.AtOnce(), Now: w.clock.Now}
	p.desk.Store, p.desk.Erasures = p.store, postgres.Eraser{Erasures: projections.Erasures{DB: pool}, Store: p.store}
	cut.left.Store(int64(n))
	return &p, func() bool { return cut.left.Load() <= 0 }
}

// cutOff counts down; nobody is cut off before it is set.
type cutOff struct{ left atomic.Int64 }

type cutConn struct {
	net.Conn
	cut *cutOff
}

// Write counts three for each message, so that each is cut off in each of three ways.
func (c *cutConn) Write(message []byte) (int, error) {
	left := c.cut.left.Load()
	if left <= 0 {
		return c.Conn.Write(message)
	}
	if c.cut.left.Add(-3) > 0 {
		return c.Conn.Write(message)
	}
	sent := message[:len(message)*int(left-1)/2]
	if _, err := c.Conn.Write(sent); err != nil {
		return 0, err
	}
	_ = c.Conn.Close()
	return len(message), nil
}
