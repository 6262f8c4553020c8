package eventstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// askFor asks for an erasure, and lets a day pass.
func (w *ward) askFor(t *testing.T, about patient.ID) commands.ConfirmErasure {
	t.Helper()
	asked, err := w.processes[0].desk.ErasePatient(operatedBy(t.Context(), "alice"), commands.ErasePatient{
		Tenant: street, Patient: about, Basis: erasure.RetentionEnded, Reason: "ten years have passed",
	})
	w.do(t, err)
	w.pass(t, erasure.Soonest)
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

// wantNothingLate fails if an event about an erased patient follows the erasure, or one of
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

func TestErasedPersonGetsNoEvent_D70(t *testing.T) {
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
		t.Errorf("only %d requests were stored: there was no race", n)
	}
}

// Encrypted values are [erased] for a process that had the key, once it has read the
// erasures. Others' data stays.
func TestProcessForgetsErasedKeys_D70(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	ann, bill := w.register(t), w.register(t)
	w.do(t, w.processes[1].ask(t.Context(), ann))
	shown := func(about patient.ID) string {
		t.Helper()
		p := w.processes[1]
		log := eventstore.Log{DB: p.pool, Codec: p.codec, Opens: p.keys}
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
		t.Error("another patient's name has gone")
	}
	w.do(t, w.processes[0].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), w.askFor(t, bill)))
	if _, err := w.processes[1].keys.Evict(t.Context(), since); err != nil || strings.Contains(shown(bill), "Ann Archer") {
		t.Errorf("the second look has not found the second erasure: %v", err)
	}
}

// A key that is gone without an erasure is lost, not erased.
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
	log := eventstore.Log{DB: fresh.pool, Codec: fresh.codec, Opens: fresh.keys}
	if _, err := log.Unsequenced(t.Context()); !errors.Is(err, keyring.ErrKeyLost) {
		t.Errorf("read with %v, want %v", err, keyring.ErrKeyLost)
	}
	if err := fresh.note(t.Context(), ann); !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("a note about who is erased: %v", err)
	}
	if err := fresh.note(t.Context(), bill); !errors.Is(err, keyring.ErrKeyLost) {
		t.Errorf("a note under a lost key: %v", err)
	}
}

// The eraser waits for blocking transactions in short attempts, and appends go on between
// them.
func TestEraserBlocksAppendsBriefly_D70(t *testing.T) {
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

// Of two concurrent confirmations one erases, and both report success.
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
