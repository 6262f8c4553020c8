package eventstore_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/projections/history"
)

// asked submits a request, and returns its identifier.
func (p *process) asked(t *testing.T, about patient.ID, answer string) request.ID {
	t.Helper()
	id := request.ID{UUID: event.NewID()}
	_, err := p.store.Append(t.Context(), event.Change{Stream: request.StreamOf(street, id), Events: []event.Event{
		request.Submitted{Patient: about, Type: request.Admin, Response: []request.Answer{{Question: "requestDetails", Answer: answer}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func (p *process) reLink(ctx context.Context, id request.ID, from, to patient.ID) error {
	return p.desk.ReLinkPatientRequest(ctx, commands.ReLinkPatientRequest{Tenant: street, Request: id, From: from, To: to, Reason: "about somebody else"})
}

// answerOf returns a request's answer, or the error of reading it.
func (p *process) answerOf(t *testing.T, id request.ID) (answer string, about patient.ID, err error) {
	t.Helper()
	found, err := history.Requests{DB: p.pool, Opens: p.keys}.Find(t.Context(), street, id)
	if err != nil {
		return "", about, err
	}
	return found.Answers[0].Answer, found.Patient, nil
}

func (w *ward) erase(t *testing.T, who patient.ID) {
	t.Helper()
	w.do(t, w.processes[0].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), w.askFor(t, who)))
}

// A request is erased with the patient that it is linked to, and with no other. Another
// process had its key in memory all the time.
func TestReLinkMovesKeyToOtherPatient_D83(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	here, there := w.processes[0], w.processes[1]
	ann, bill := w.register(t), w.register(t)
	moved, stays := here.asked(t, ann, "a letter"), here.asked(t, ann, "a form")
	w.do(t, there.reLink(t.Context(), moved, ann, bill))
	if err := here.reLink(t.Context(), moved, ann, bill); err != nil {
		t.Errorf("done already: %v", err)
	}
	if err := here.reLink(t.Context(), moved, bill, patient.ID{UUID: uuid.New()}); !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("to no patient: %v", err)
	}
	w.erase(t, ann)
	if answer, about, err := there.answerOf(t, moved); answer != "a letter" || about != bill || err != nil {
		t.Errorf("once Ann is erased, Bill's request has %q, %v", answer, err)
	}
	if _, _, err := there.answerOf(t, stays); !errors.Is(err, request.ErrUnknown) {
		t.Errorf("what was Ann's alone: %v", err)
	}
	w.do(t, there.desk.NotePatientRequest(t.Context(), commands.NotePatientRequest{Tenant: street, Request: moved, Text: "rang"}))
	if err := here.reLink(t.Context(), stays, ann, bill); !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("what was erased with Ann is moved: %v", err)
	}
	w.erase(t, bill)
	w.do(t, enginetest.Second(there.keys.Evict(t.Context(), time.Time{})))
	if _, _, err := there.answerOf(t, moved); !errors.Is(err, request.ErrUnknown) {
		t.Errorf("once Bill is erased, too: %v", err)
	}
	if err := there.desk.NotePatientRequest(t.Context(), commands.NotePatientRequest{Tenant: street, Request: moved, Text: "rang"}); !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("noted afterwards: %v", err)
	}
	if n := w.count(t, `SELECT count(*) FROM personal_keys WHERE kind IN (1, 4)`); n != 0 {
		t.Errorf("%d keys are left", n)
	}
}

// A request without personal values has no key. It is not taken from an erased patient,
// either.
func TestReLinkFromErasedIsRefused_D83(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	p := w.processes[0]
	ann, bill := w.register(t), w.register(t)
	empty := p.asked(t, ann, "")
	w.erase(t, ann)
	_, err := p.store.Append(t.Context(), event.Change{
		Stream: request.StreamOf(street, empty), Expected: 1, Events: []event.Event{request.ReLinked{Patient: bill, Former: ann}}, OfPatient: true,
	})
	if !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("error = %v, want %v", err, patient.ErrUnknown)
	}
}

// The first text about a request without any makes its key, for the patient that it is
// linked to then. A key that is gone is not made again.
func TestARequestWithoutAnyTextIsGivenAKey_D83(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	ann, bill := w.register(t), w.register(t)
	first, other := w.processes[0].asked(t, ann, ""), w.processes[0].asked(t, ann, "")
	w.do(t, w.processes[0].reLink(t.Context(), first, ann, bill))
	note := func(id request.ID) error {
		return w.processes[1].desk.NotePatientRequest(t.Context(), commands.NotePatientRequest{Tenant: street, Request: id, Text: "rang"})
	}
	w.do(t, note(first))
	w.do(t, note(other))
	for id, who := range map[request.ID]patient.ID{first: bill, other: ann} {
		if n := w.count(t, `SELECT count(*) FROM personal_keys WHERE kind = 4 AND holder = $1 AND patient = $2`, id, who); n != 1 {
			t.Errorf("the key of %s is not that of %s", id, who)
		}
	}
	if _, err := w.super.Exec(t.Context(), `DELETE FROM personal_keys WHERE holder = $1`, other); err != nil {
		t.Fatal(err)
	}
	fresh := w.process(t, db.URL)
	err := fresh.desk.NotePatientRequest(t.Context(), commands.NotePatientRequest{Tenant: street, Request: other, Text: "rang"})
	if !errors.Is(err, keyring.ErrKeyLost) {
		t.Errorf("under a lost key: %v", err)
	}
}

// Of a re-link and an erasure either comes first: a request moved before is the other
// patient's, and is kept; one not moved is erased. Nothing is between.
func TestAReLinkAndAnErasureMeet_D83(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	for round := range 6 {
		from, to := w.register(t), w.register(t)
		erased := []patient.ID{from, to}[round%2]
		ids := make([]request.ID, 6)
		for n := range ids {
			ids[n] = w.processes[0].asked(t, from, "a letter")
		}
		confirm := w.askFor(t, erased)
		moved, first := make([]error, len(ids)), make(chan struct{}, len(ids))
		var all sync.WaitGroup
		for half := range 2 {
			all.Go(func() {
				for n := half; n < len(ids); n += 2 {
					moved[n] = w.processes[half].reLink(t.Context(), ids[n], from, to)
					first <- struct{}{}
				}
			})
		}
		<-first
		if err := w.processes[0].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), confirm); err != nil {
			t.Error(err)
		}
		all.Wait()
		for n, id := range ids {
			w.wantWhole(t, id, from, to, erased, moved[n])
		}
	}
}

// wantWhole fails unless a request is either whole or gone, as it must be.
func (w *ward) wantWhole(t *testing.T, id request.ID, from, to, erased patient.ID, moved error) {
	t.Helper()
	now := from
	if moved == nil {
		now = to
	} else if !errors.Is(moved, patient.ErrUnknown) {
		t.Errorf("moved: %v", moved)
	}
	keys := w.count(t, `SELECT count(*) FROM personal_keys WHERE kind = 4 AND holder = $1 AND patient = $2`, id, now)
	gone := w.count(t, `SELECT count(*) FROM erasures WHERE kind = 4 AND holder = $1`, id)
	entries := w.count(t, `SELECT count(*) FROM record_entries WHERE entry = $1 AND patient = $2`, id, now)
	if whole := now != erased; whole && (keys != 1 || gone != 0 || entries != 1) || !whole && (keys != 0 || gone != 1 || entries != 0) {
		t.Errorf("moved: %v; of a request that must be kept: %t, there are %d keys, %d erasures and %d entries", moved, whole, keys, gone, entries)
	}
	answer, _, err := w.processes[1].answerOf(t, id)
	if now != erased && (err != nil || answer != "a letter") || now == erased && !errors.Is(err, request.ErrUnknown) {
		t.Errorf("answer %q, %v", answer, err)
	}
}

// A backup from before a re-link holds a request as the former patient's. Its key is known
// by the ledger's entry of the erasure that destroyed it.
func TestRestoredKeyIsDestroyed_D83(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	p := w.process(t, db.AdminURL) // only the owner erases again
	ann, bill := w.register(t), w.register(t)
	moved, stays := p.asked(t, ann, "a letter"), p.asked(t, ann, "a form")
	var fingerprint string
	w.do(t, w.super.QueryRow(t.Context(), `SELECT encode(fingerprint, 'hex') FROM personal_keys WHERE holder = $1`, moved).Scan(&fingerprint))
	w.do(t, p.desk.ReapplyErasure(operatedBy(t.Context(), "alice"), commands.ReapplyErasure{
		Person:  erasure.Person{Tenant: street, Kind: event.OfPatient, Holder: bill.UUID},
		Erasure: erasure.ID{UUID: uuid.New()}, Fingerprints: []string{fingerprint, "00ff"},
	}))
	for id, want := range map[request.ID]string{moved: event.Erased, stays: "a form"} {
		if answer, about, err := p.answerOf(t, id); answer != want || about != ann || err != nil {
			t.Errorf("answer %q, %v, want %q", answer, err, want)
		}
	}
	if n := w.count(t, `SELECT count(*) FROM erasures WHERE kind = 4 AND holder = $1 AND fingerprint = $2`, moved, fingerprint); n != 1 {
		t.Errorf("%d erasures of the request's key", n)
	}
	if err := p.reLink(t.Context(), moved, ann, w.register(t)); !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("it is moved: %v", err)
	}
}
