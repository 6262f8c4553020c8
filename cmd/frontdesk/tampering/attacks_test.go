package tampering_test

import (
	"maps"
	"slices"
	"testing"

	"frontdesk/adapters/postgres/verification"
)

// attack is an action of someone with every right over the database.
type attack struct {
	name string
	do   func(*world)
	// The parties that must detect it; the others must not.
	gap     bool // gaps in the numbers of the log
	tables  bool // frontdesk audit verify, before the prover's tables are made to fit
	signer  bool // the signer, by its own state; the prover's tables fit
	auditor bool // an auditor with a kept checkpoint; checkpoints are signed again with the stolen key
	witness bool // a witness that is asked to cosign those
}

// idxOf finds the idx of a leaf of Elm Street.
const idxOf = `(SELECT idx FROM log JOIN events USING (position) WHERE tenant = 'elm' ORDER BY idx OFFSET $1 LIMIT 1)`

const positionOf = `(SELECT position FROM log JOIN events USING (position) WHERE tenant = 'elm' ORDER BY idx OFFSET $1 LIMIT 1)`

// edit returns an attack on one event, which a number finds.
func edit(set string, number func(size) int64) func(*world) {
	return func(w *world) { w.forge(`UPDATE events SET `+set+` WHERE position = `+positionOf, number(w.size)) }
}

func early(s size) int64       { return s.witnessed / 2 }
func unwitnessed(s size) int64 { return (s.witnessed + s.kept) / 2 }
func unsigned(s size) int64    { return (s.signed + s.all) / 2 }

// shift moves the places behind an idx.
func (w *world) shift(behind int64, by int) {
	w.forge(`UPDATE log SET idx = -idx WHERE idx > $1`, behind)
	w.forge(`UPDATE log SET idx = -idx + $1 WHERE idx < 0`, by)
	w.forge(`UPDATE sequencer SET head = head + $1`, by)
}

// remove removes an event, and returns its idx.
func (w *world) remove(number int64) (idx int64) {
	w.check(w.attacker.QueryRow(w.ctx, `SELECT `+idxOf, number).Scan(&idx))
	w.forge(`DELETE FROM events WHERE position = (SELECT position FROM log WHERE idx = $1)`, idx)
	w.forge(`DELETE FROM log WHERE idx = $1`, idx)
	return idx
}

// truncate removes all but that many leaves of Elm Street, and the rows behind them.
func truncate(left func(size) int64) func(*world) {
	return func(w *world) {
		w.forge(`DELETE FROM events WHERE position IN (SELECT position FROM log WHERE idx >= `+idxOf+`)`, left(w.size))
		w.forge(`DELETE FROM log WHERE NOT EXISTS (SELECT FROM events WHERE position = log.position)`)
		w.forge(`UPDATE sequencer SET head = (SELECT max(idx) FROM log)`)
	}
}

var attacks = []attack{
	{name: "nothing, and more honest events", do: func(w *world) { w.write(w.size.all / 7) }},

	{"edit data", edit(`data = replace(data, ':', ': ')`, early), false, true, true, true, true},
	{"edit metadata", edit(`metadata = replace(metadata, ':', ': ')`, early), false, true, true, true, true},
	{"edit sealed bytes", edit(`sealed = set_byte(sealed, 40, get_byte(sealed, 40) # 1)`, early), false, true, true, true, true},
	{"edit the time by 1 µs", edit(`recorded_at = recorded_at + interval '1 microsecond'`, early), false, true, true, true, true},
	{"edit the patient", edit(`patient = gen_random_uuid()`, early), false, true, true, true, true},
	{"edit the name", edit(`name = 'care-record.note-erased.v1'`, early), false, true, true, true, true},
	{"edit the practice", edit(`tenant = 'oak'`, early), false, true, true, true, true},
	{"edit data between the witness's and the auditor's size", edit(`data = replace(data, ':', ': ')`, unwitnessed), false, true, true, true, false},
	{"swap the sealed bytes of two events", func(w *world) {
		w.forge(`UPDATE events e SET sealed = o.sealed FROM events o WHERE (e.position, o.position) IN (SELECT * FROM
			(SELECT `+positionOf+` AS a, (SELECT position FROM log JOIN events USING (position) WHERE tenant = 'elm' ORDER BY idx OFFSET $1 + 1 LIMIT 1) AS b) pair
			UNION SELECT b, a FROM (SELECT `+positionOf+` AS a, (SELECT position FROM log JOIN events USING (position) WHERE tenant = 'elm' ORDER BY idx OFFSET $1 + 1 LIMIT 1) AS b) pair)`, early(w.size))
	}, false, true, true, true, true},
	{"swap two idx", func(w *world) {
		var idx int64
		w.check(w.attacker.QueryRow(w.ctx, `SELECT `+idxOf, early(w.size)).Scan(&idx))
		w.forge(`UPDATE log SET idx = -idx WHERE idx IN ($1::bigint, $1::bigint + 1)`, idx)
		w.forge(`UPDATE log SET idx = 2 * $1::bigint + 1 + idx WHERE idx < 0`, idx)
	}, false, true, true, true, true},
	{"insert an event", func(w *world) {
		var idx int64
		w.check(w.attacker.QueryRow(w.ctx, `SELECT `+idxOf, early(w.size)).Scan(&idx))
		w.shift(idx-1, 1)
		w.forge(`WITH forged AS (INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at, sealed)
			SELECT gen_random_uuid(), tenant, gen_random_uuid(), version, name, patient, data, metadata, recorded_at, sealed
			FROM events JOIN log USING (position) WHERE idx = $1 + 1 RETURNING position)
			INSERT INTO log (idx, position) SELECT $1, position FROM forged`, idx)
		w.forge(`UPDATE sequencer SET reached = (SELECT max(position) FROM events)`)
	}, false, true, true, true, true},
	{"delete an event, and leave a gap", func(w *world) { w.remove(early(w.size)) }, true, false, true, true, true},
	{"delete an event, and close the gap", func(w *world) { w.shift(w.remove(early(w.size)), -1) }, false, true, true, true, true},
	{"delete an event that no witness has seen, and let the log grow", func(w *world) {
		w.shift(w.remove(unwitnessed(w.size)), -1)
		w.write(w.size.all / 7)
	}, false, true, true, true, false},
	{"truncate behind the witness's size", truncate(unwitnessed), false, true, true, true, false},
	{"truncate before the witness's size", truncate(early), false, true, true, true, true},
	{"back to a backup, and other events", func(w *world) {
		truncate(early)(w)
		w.write(w.size.all / 2)
	}, false, true, true, true, true},
	{"edit behind the newest checkpoint", edit(`data = replace(data, ':', ': ')`, unsigned), false, true, false, false, false},
}

// Each attack is detected by the expected parties, and by no others.
func TestDetectionOfAttacks_D81(t *testing.T) {
	t.Parallel()
	everyAttack(t, size{witnessed: 90, kept: 100, signed: 110, all: 120})
}

// everyAttack makes each attack. The others are also asked, after everything was signed again
// with the stolen key; each must detect it if the auditor must.
func everyAttack(t *testing.T, s size, others ...func(*world) bool) {
	w := newWorld(t, s)
	if found := w.verify(w.kept); len(found.Found) > 0 || found.Kept != 1 || found.Published != 4 || found.Boxes.Opened < s.all-1 {
		t.Fatalf("before any attack: %+v", found)
	}
	for _, a := range attacks {
		a.do(w)
		before := w.verify()
		w.expect(a, "gap", a.gap, by(before, verification.Gap), before)
		w.expect(a, "tables", a.tables, by(before, verification.Built), before)
		if !a.gap { // a log with a gap has no trees
			w.rebuild()
		}
		w.expect(a, "signer", a.signer, w.alarms(maps.Clone(w.signed)), nil)
		w.publish()
		after := w.verify(w.kept)
		w.expect(a, "auditor, key stolen", a.auditor, by(after, verification.KeptNote) || a.gap && by(after, verification.Gap), texts(after.Found))
		for _, catches := range others {
			w.expect(a, "others", a.auditor, catches(w), nil)
		}
		w.expect(a, "witness, key stolen", a.witness, w.refuses(), nil)
		w.restore()
	}
	w.fork()
}

// fork continues two histories from the signed checkpoint. Each is consistent on its own, so
// only parties that have seen both detect it.
func (w *world) fork() {
	signer, witness, last, before := maps.Clone(w.signed), maps.Clone(w.witnessed), w.size.witnessed, w.kept
	for n, history := range []string{"one", "the other"} {
		w.write(w.size.all / 7)
		w.rebuild()
		alarm := w.alarms(signer)
		w.publish()
		refused := w.cosign(witness, last) != nil
		alone, both := w.verify(before), w.verify(before, w.kept)
		if n == 1 != alarm || n == 1 != refused || len(alone.Found) > 0 || n == 1 != by(both, verification.KeptNote) {
			w.t.Errorf("%s history: the signer raises an alarm: %t, the witness refuses it: %t; alone it is %+v, and with the other one %+v", history, alarm, refused, texts(alone.Found), texts(both.Found))
		}
		w.kept.Name = "compared.note"
		w.kept.Checkpoint, _ = w.published(elm)
		last = w.kept.Size
		w.restore()
	}
}

func (w *world) expect(a attack, who string, want, got bool, result any) {
	w.t.Helper()
	if want != got {
		w.t.Errorf("%s: %s: caught %t, want %t: %+v", a.name, who, got, want, result)
	}
}

// by reports whether a check has found something.
func by(r verification.Result, check verification.Check) bool {
	return slices.ContainsFunc(r.Found, func(f *verification.Finding) bool { return f.Check == check })
}

// rebuild makes the prover's tables match the stored data.
func (w *world) rebuild() {
	w.t.Helper()
	w.forge(`TRUNCATE trees, tree_tail, tree_tiles`)
	w.forge(`UPDATE prover SET idx = 0`)
	w.prove()
}
