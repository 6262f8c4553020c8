package tampering_test

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/verification"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/proof"
	"frontdesk/domain/staff"
)

// frontdesk audit verify detects and reports changes to the tables other than the log.
func TestVerifyDetectsChangedTables_D81(t *testing.T) {
	t.Parallel()
	w := newWorld(t, size{witnessed: 10, kept: 12, signed: 14, all: 16})
	w.fill()
	for _, c := range []struct {
		name  string
		do    func()
		check verification.Check
		says  string
	}{
		{"a key is deleted", w.forging(`DELETE FROM personal_keys WHERE tenant = 'elm' AND kind = 1 AND holder = $1`, w.ann), verification.BoxesOfLog, "the key is lost"},
		{"a key's row is another's", w.forging(`UPDATE personal_keys SET wrapped = (SELECT wrapped FROM personal_keys WHERE holder = $2) WHERE holder = $1`, w.ann, w.bob),
			verification.BoxesOfLog, "its row was altered"},
		{"a practitioner's key is deleted", w.forging(`DELETE FROM personal_keys WHERE tenant = 'elm' AND kind = 3`), verification.BoxesOfLog, "a box of idx 1 (access) does not open"},
		{"the box of a call is another call's", w.forging(`UPDATE access_record SET sealed = (SELECT sealed FROM access_record JOIN access_log USING (request_id) WHERE idx = 2)
			WHERE request_id = (SELECT request_id FROM access_log WHERE idx = 3)`), verification.BoxesOfLog, "a box of idx 3 (access) does not open"},
		{"a leaf of the tail is another", w.forging(`UPDATE tree_tail SET hashes = overlay(hashes PLACING sha256('x') FROM (3 - n)::int * 32 + 1) WHERE tenant = 'elm' AND kind = 1 AND 3 BETWEEN n AND n + length(hashes) / 32 - 1`),
			verification.Built, "number 3 of the tree of elm (events)"},
		{"a leaf of the tail has another idx", w.forging(`UPDATE tree_tail SET first_idx = 4000 WHERE tenant = 'elm' AND kind = 1 AND n = 0`), verification.Built, "number 0 of the tree of elm (events)"},
		{"a leaf of a tile is another", w.forging(`UPDATE tree_tiles SET hashes = set_byte(hashes, 32 * 7, get_byte(hashes, 32 * 7) # 1)`), verification.Built, "number 7 of the tree of oak (events)"},
		{"the root of a tile is another", w.forging(`UPDATE tree_tiles SET root = sha256(root)`), verification.Built, "number 255 of the tree of oak (events)"},
		{"a tile begins elsewhere", w.forging(`UPDATE tree_tiles SET first_idx = 1`), verification.Built, "number 0 of the tree of oak (events)"},
		{"a tree is gone", w.forging(`DELETE FROM trees WHERE tenant = 'elm'`), verification.Built, "the prover's tables have 0"},
		{"a checkpoint is cut", w.forging(`UPDATE checkpoints SET note = replace(note, '/1', '/2') WHERE tenant = 'elm'`), verification.Published, "is not one to trust"},
		{"a checkpoint is of another tree", w.forging(`UPDATE checkpoints c SET note = o.note FROM checkpoints o WHERE c.tenant = 'elm' AND o.tenant = 'oak'`), verification.Published, "stands where another one belongs"},
		{"no checkpoint is left of a kept one's log", w.forging(`DELETE FROM checkpoints WHERE tenant = 'elm'`), verification.KeptNote, "none of this log is published here"},
		{"a password's hash is another", w.forging(`UPDATE staff_passwords SET hash = 'a thief''s'`), verification.Passwords, "is not the one that the log knows"},
		{"an event is stored past the log", w.forging(`INSERT INTO events OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(e, jsonb_build_object('position', -5, 'id', gen_random_uuid(), 'stream', gen_random_uuid()))).* FROM events e LIMIT 1`),
			verification.Gap, "is not in the log"},
		{"a call is another", w.forging(`UPDATE access_record SET status = 403 WHERE request_id = (SELECT request_id FROM access_log WHERE idx = 2)`),
			verification.Built, "number 1 of the tree of elm (access)"},
		{"a call is another, and was signed", w.forging(`UPDATE access_record SET reason = 'because' WHERE request_id = (SELECT request_id FROM access_log WHERE idx = 2)`),
			verification.Published, "the tree of elm (access) at size"},
		{"a call is gone", w.forging(`DELETE FROM access_record WHERE request_id = (SELECT request_id FROM access_log WHERE idx = 2)`), verification.Gap, "line 2 is missing"},
		{"a call is gone, as if it were archived", w.forging(`WITH gone AS (DELETE FROM access_record WHERE request_id = (SELECT request_id FROM access_log WHERE idx = 2) RETURNING request_id)
			UPDATE access_log l SET leaf = sha256('') FROM gone WHERE l.request_id = gone.request_id`), verification.Gap, "1 lines of the access record are gone"},
		{"a call and its number are gone", w.forging(`DELETE FROM access_log WHERE idx = (SELECT max(idx) FROM access_log)`), verification.Gap, "the access record ends before its head"},
		{"a call was written past the program", w.forging(`INSERT INTO access_record SELECT (jsonb_populate_record(r, jsonb_build_object('request_id', gen_random_uuid()))).* FROM access_record r LIMIT 1`),
			verification.Gap, "1 lines of the access record have no number"},
		{"the end of the log is gone", w.forging(`DELETE FROM log WHERE idx > (SELECT max(idx) - 3 FROM log)`), verification.Gap, "the log ends before its head"},
	} {
		c.do()
		found := w.verify(w.kept).Found
		if !slices.ContainsFunc(found, func(f *verification.Finding) bool { return f.Check == c.check && strings.Contains(f.Says, c.says) }) {
			t.Errorf("%s: %+v", c.name, texts(found))
		}
		w.restore()
	}
	if whole := w.verify(w.kept); len(whole.Found)+len(whole.Unchecked) > 0 {
		t.Errorf("when all is undone: %+v, %v", texts(whole.Found), whole.Unchecked)
	}
	w.wantErased()
	w.wantWitnessed()
	w.wantOtherKey()
	w.wantArchived()
	w.wantEpoch()
}

func texts(found []*verification.Finding) (all []string) {
	for _, f := range found {
		all = append(all, string(f.Check)+": "+f.Says)
	}
	return all
}

func (w *world) forging(sql string, args ...any) func() {
	return func() { w.forge(sql, args...) }
}

// fill gives the tree of Oak Lane more than a tile, and a member of its staff a password.
func (w *world) fill() {
	w.t.Helper()
	w.forge(`INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		SELECT gen_random_uuid(), 'oak', gen_random_uuid(), 1, 'practice.renamed.v1', '{}', '{}', now() FROM generate_series(1, 300)`)
	set := staff.PasswordSet{Credential: staff.CredentialID{UUID: event.NewID()}, Digest: sha256.Sum256([]byte("a hash"))}
	member := staff.StreamOf("oak", staff.ID{UUID: uuid.New()})
	must(w.engine.Desk.Store.Append(w.ctx, event.Change{Stream: member, Events: []event.Event{set}}))(w.t)
	w.check(w.engine.Drain(w.ctx))
	w.forge(`INSERT INTO staff_passwords (tenant, staff, credential, hash) VALUES ('oak', $1, $2, 'a hash')`, member.ID, set.Credential)
	w.prove()
	w.forge(`DROP SCHEMA saved CASCADE`)
	w.save()
}

// wantErased checks that the boxes of an erased person are not reported as lost.
func (w *world) wantErased() {
	w.t.Helper()
	before := w.verify().Boxes
	w.forge(`DELETE FROM personal_keys WHERE holder = $1`, w.ann)
	w.forge(`INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint) VALUES ('elm', 1, $1, now(), gen_random_uuid(), $1, 2, '')`, w.ann)
	after := w.verify(w.kept)
	if b := after.Boxes; len(after.Found) > 0 || b.Erased == 0 || b.Erased+b.Opened != before.Opened || b.Lost+b.Foreign > 0 {
		w.t.Errorf("after an erasure: %+v, %+v", b, texts(after.Found))
	}
	w.restore()
}

// wantWitnessed checks that the newest checkpoint of each tree must be cosigned by the
// auditor's number of witnesses. Those of earlier days need not be.
func (w *world) wantWitnessed() {
	w.t.Helper()
	w.forge(`INSERT INTO checkpoints SELECT (jsonb_populate_record(c, '{"day":"2026-03-01"}')).* FROM checkpoints c`)
	w.trusts.Need = 1
	r := w.verify()
	if trees := r.Events.Trees + r.Calls.Trees; len(r.Found) != trees || r.Published != trees || !strings.Contains(r.Found[0].Says, "1 are needed") {
		w.t.Errorf("without witnesses: %+v, %v", r, texts(r.Found))
	}
	w.trusts.Need = 0
	w.restore()
}

// wantOtherKey checks that checkpoints under an earlier key are no alarm, as long as they
// match the stored data.
func (w *world) wantOtherKey() {
	w.t.Helper()
	c, _ := w.published(elm)
	before := must(notary.ParseKey(must(notary.MakeKey(service, proof.Salt{1}))(w.t)))(w.t)
	earlier := func(c proof.Checkpoint) {
		w.forge(`INSERT INTO checkpoints (tenant, kind, epoch, day, size, note, signed_at) VALUES ('elm', 1, 1, $1, $2, $3, now())`,
			time.Unix(c.Size, 0), c.Size, string(must(c.Sign(before))(w.t)))
	}
	earlier(c)
	if r := w.verify(); len(r.Found) > 0 || !slices.Contains(r.Unchecked, "whose 1 checkpoints of earlier days are: another key has signed them") {
		w.t.Errorf("after another key: %+v, %v", r, texts(r.Found))
	}
	w.forge(`DELETE FROM checkpoints WHERE day < '2000-01-01'`)
	c.Root[0] ^= 1
	earlier(c)
	if r := w.verify(); !by(r, verification.Published) {
		w.t.Errorf("another root by another key: %+v", r)
	}
	w.restore()
}

// wantArchived checks that the tree of calls continues where the archives end, and that an
// attacker cannot make the archives end in another tree.
func (w *world) wantArchived() {
	w.t.Helper()
	rows := must(accesslog.Record{DB: w.engine.Log.DB}.Rows(w.ctx, 0))(w.t)[:5]
	var edge proof.Edge
	for _, row := range rows {
		edge.Append(row.Hash())
		w.forge(`DELETE FROM access_record WHERE request_id = $1`, row.Leaf.RequestID)
	}
	w.forge(`DELETE FROM access_log WHERE idx <= 5`)
	w.forge(`UPDATE access_head SET archived = 5`)
	w.forge(`INSERT INTO archived_trees (tenant, size, edge) VALUES ('elm', 5, $1)`, edge.Bytes())
	if r := w.verify(w.kept); !by(r, verification.Gap) {
		w.t.Errorf("with lines that are in no archive: %+v", texts(r.Found))
	}
	said := audit.Archived{Name: "access_record_2019_03", Record: "access_record", Lines: 5}
	w.forge(`INSERT INTO archives (name, record, until, detached_at, archived_at, sha256) VALUES ($1, 'access_record', now(), now(), now(), '')`, said.Name)
	must(w.engine.Desk.Store.Append(w.ctx, event.Change{Stream: audit.StreamOfArchive(said.Name), Events: []event.Event{said}}))(w.t)
	w.check(w.engine.Drain(w.ctx))
	r := w.verify(w.kept)
	if len(r.Found) > 0 || r.Published != 4 || !slices.Contains(r.Unchecked, "calls up to number 5: they are in archives") {
		w.t.Errorf("behind an archive: %+v %+v", r, texts(r.Found))
	}
	w.forge(`UPDATE archived_trees SET edge = set_byte(edge, 40, get_byte(edge, 40) # 1)`)
	if r = w.verify(w.kept); !by(r, verification.Published) {
		w.t.Errorf("behind another archive: %+v", r)
	}
	w.restore()
}

// wantEpoch checks that published checkpoints of events that an epoch has lost are no alarm
// once the signer has named the loss, and that a kept one is.
func (w *world) wantEpoch() {
	w.t.Helper()
	truncate(func(s size) int64 { return s.witnessed })(w)
	w.forge(`UPDATE sequencer SET timeline = timeline - 1`) // as if a standby had been promoted
	w.write(5)
	w.rebuild()
	if found := w.verify(); !by(found, verification.Published) {
		w.t.Errorf("in another epoch that nobody has signed: %+v", found)
	}
	for _, problem := range w.newSigner(maps.Clone(w.signed), false).Round(w.ctx) {
		w.t.Error(problem)
	}
	found := w.verify(w.kept)
	if len(found.Found) != 1 || found.Found[0].Check != verification.KeptNote || !strings.Contains(found.Found[0].Says, "of epoch 1, the tree of elm (events) has kept the first") || found.Ended == 0 {
		w.t.Errorf("in another epoch: %+v %+v", found, texts(found.Found))
	}
	w.restore()
}
