package tampering_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/verification"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// place stores an event at the end of the log, as an attacker does.
func (w *world) place(stream uuid.UUID, name, data string, at time.Time) (idx int64) {
	w.t.Helper()
	w.check(w.attacker.QueryRow(w.ctx, `WITH e AS (
			INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at) VALUES (gen_random_uuid(), 'elm', $1, 1, $2, $3, '{}', $4) RETURNING position)
		INSERT INTO log (idx, position) SELECT (SELECT max(idx) + 1 FROM log), position FROM e RETURNING idx`, stream, name, data, at).Scan(&idx))
	w.forge(`UPDATE sequencer SET head = $1, reached = (SELECT max(position) FROM events)`, idx)
	return idx
}

// wantFound fails unless a verification finds this, and nothing else.
func (w *world) wantFound(what string, check verification.Check, says string) {
	w.t.Helper()
	found := slices.DeleteFunc(w.verify(w.kept).Found, func(f *verification.Finding) bool { return f.Check == verification.Gap })
	if len(found) != 1 || found[0].Check != check || !strings.Contains(found[0].Says, says) {
		w.t.Errorf("%s: %v, want %s: … %s", what, texts(found), check, says)
	}
}

func TestVerifyComparesPasskeys_D138(t *testing.T) {
	t.Parallel()
	w := newWorld(t, size{witnessed: 10, kept: 12, signed: 14, all: 16})
	member := staff.StreamOf("elm", staff.ID{UUID: uuid.New()})
	passkey := func(n byte) staff.PasskeyAdded {
		return staff.PasskeyAdded{Passkey: staff.PasskeyID{UUID: event.NewID()}, Credential: []byte{n}, PublicKey: []byte{n, n}}
	}
	first, second := passkey(1), passkey(2)
	must(w.engine.Desk.Store.Append(w.ctx, event.Change{Stream: member, Events: []event.Event{first, second, staff.PasskeyRemoved{Passkey: second.Passkey}}}))(t)
	w.check(w.engine.Drain(w.ctx))
	w.prove()
	if found := w.verify(w.kept).Found; len(found) > 0 {
		t.Fatalf("before any change: %v", texts(found))
	}
	saying := func(p staff.PasskeyAdded) string {
		return fmt.Sprintf("the passkey %s of staff %s at elm is not one", p.Passkey, member.ID)
	}
	const put = `INSERT INTO staff_passkeys (tenant, passkey, staff, name, credential, public_key, backup_eligible, sign_count, added_at) VALUES ('elm', $1, $2, '', $3, $4, false, 0, now())`

	w.forge(`UPDATE staff_passkeys SET public_key = '\x0909'`)
	w.wantFound("another key", verification.Passkeys, saying(first))
	w.forge(`UPDATE staff_passkeys SET public_key = '\x0101', credential = '\x09'`)
	w.wantFound("another credential", verification.Passkeys, saying(first))
	w.forge(`UPDATE staff_passkeys SET credential = '\x01'`)
	w.forge(put, second.Passkey, member.ID, second.Credential, second.PublicKey)
	w.wantFound("one that was removed", verification.Passkeys, saying(second))
	w.forge(`DELETE FROM staff_passkeys WHERE passkey = $1`, second.Passkey)
	third := passkey(3)
	w.forge(put, third.Passkey, member.ID, third.Credential, third.PublicKey)
	w.wantFound("one that nobody added", verification.Passkeys, saying(third))
	w.forge(`DELETE FROM staff_passkeys WHERE passkey = $1`, third.Passkey)
	must(w.engine.Desk.Store.Append(w.ctx, event.Change{Stream: member, Expected: 3, Events: []event.Event{staff.Reactivated{}}}))(t)
	w.check(w.engine.Drain(w.ctx))
	w.prove()
	w.forge(put, first.Passkey, member.ID, first.Credential, first.PublicKey)
	w.wantFound("one from before a reset", verification.Passkeys, saying(first))
}

// A key that is put back after an erasure is found by the event that has destroyed it, also if
// the table of erasures does not know of it.
func TestVerifyFindsKeysThatAreBack_D138(t *testing.T) {
	t.Parallel()
	w := newWorld(t, size{witnessed: 10, kept: 12, signed: 14, all: 16})
	idx := w.place(uuid.New(), "patient.erased.v1",
		fmt.Sprintf(`{"patient":%q,"erasure":%q,"basis":"court-order","keys":[{"kind":1,"holder":%[1]q,"fingerprint":""}]}`, w.ann, uuid.New()), noon())
	w.prove()
	w.wantFound("a key that is back", verification.Keys, fmt.Sprintf("the key of the patient %s at elm is back, although idx %d has erased it", w.ann, idx))
}

// Events that are dated before what a checkpoint covers are named, and are no difference. A
// difference of two minutes is not named: processes differ by a little.
func TestVerifyNamesBackdatedEvents_D138(t *testing.T) {
	t.Parallel()
	w := newWorld(t, size{witnessed: 10, kept: 12, signed: 14, all: 16})
	note := func(at time.Time) int64 { return w.place(uuid.New(), "practice.renamed.v1", `{"name":"Elm"}`, at) }
	note(noon().Add(-90 * time.Second))
	note(noon().Add(2 * time.Second))
	back := note(noon().Add(-time.Hour))
	w.prove()
	r := w.verify(w.kept)
	want := verification.Backdated{Count: 1, First: []verification.DatedEvent{{Tenant: "elm", Idx: back, At: noon().Add(-time.Hour).UTC(), Behind: noon().UTC()}}}
	if len(r.Found) > 0 || r.Backdated.Count != 1 || r.Backdated.First[0] != want.First[0] {
		t.Errorf("%+v, %v, want %+v", r.Backdated, texts(r.Found), want)
	}
	w.sign() // the newest checkpoint of a day replaces the others, and covers all of it
	if r := w.verify(); r.Backdated.Count != 0 {
		t.Errorf("after the next checkpoint: %+v", r.Backdated)
	}
	if r := w.verify(w.kept); r.Backdated.Count != 1 {
		t.Errorf("with a kept checkpoint: %+v", r.Backdated)
	}
}
