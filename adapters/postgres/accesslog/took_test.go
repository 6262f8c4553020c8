package accesslog_test

import (
	"testing"
	"time"

	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// The duration of a call, its key, its further refusals, its user agent and whether it was replayed are not part of
// its leaf: the leaf is the same whatever they are, and so is every tree, export and archive.
func TestLeafHasNoDurationOrKey_D95_D146(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	call := aCall()
	call.Took, call.Key, call.Replayed = 1234567*time.Microsecond, event.Digest{7}, true
	call.Agent = "curl/8.5.0"
	call.Further = []access.Problem{{Code: "empty-note", Reason: "note must be given."}}
	r.Record(call)
	r.Record(access.Look(event.NewID(), recordedAt, "elm-street", staff.ID{}, "inbox", nil))
	r.runOnce(t)
	var took, none *int
	err := r.Pool.QueryRow(t.Context(), `SELECT (SELECT took_ms FROM access_record WHERE mode <> 'page'), (SELECT took_ms FROM access_record WHERE mode = 'page')`).Scan(&took, &none)
	if err != nil || took == nil || *took != 1234 || none != nil {
		t.Errorf("the call took %v ms, and the page has no duration: %v, %v", took, none, err)
	}
	var key []byte
	var replayed bool
	var further, agent string
	err = r.Pool.QueryRow(t.Context(), `SELECT idempotency_key, replayed, further, user_agent FROM access_record WHERE mode <> 'page'`).Scan(&key, &replayed, &further, &agent)
	if err != nil || event.Digest(key) != call.Key || !replayed || further != `[{"code":"empty-note","reason":"note must be given."}]` || agent != call.Agent {
		t.Errorf("the call has the key %x, was replayed: %t, further refusals %s, the user agent %q, %v", key, replayed, further, agent, err)
	}
	before, err := r.read.Rows(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	owner := r.db.SuperuserPool(t)
	for _, sql := range []string{`ALTER TABLE access_record_default DISABLE TRIGGER access_record_append_only`, `ALTER TABLE access_record DISABLE TRIGGER access_record_append_only`, `UPDATE access_record SET took_ms = 7, idempotency_key = NULL, replayed = false, further = NULL, user_agent = NULL`} {
		if _, err := owner.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	after, err := r.read.Rows(t.Context(), 0)
	if err != nil || len(before) != 2 || len(after) != 2 || before[0].Hash() != after[0].Hash() || before[1].Hash() != after[1].Hash() {
		t.Errorf("the leaves were %v and are %v, %v", before, after, err)
	}
}
