package accesslog_test

import (
	"testing"
	"time"

	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// The duration of a call is not part of its leaf: the leaf is the same for any duration, and
// so is every tree, export and archive.
func TestTheDurationIsNotInTheLeaf_D95(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	call := aCall()
	call.Took = 1234567 * time.Microsecond
	r.Record(call)
	r.Record(access.Look(event.NewID(), recordedAt, "elm-street", staff.ID{}, "inbox", nil))
	r.runOnce(t)
	var took, none *int
	err := r.Pool.QueryRow(t.Context(), `SELECT (SELECT took_ms FROM access_record WHERE mode <> 'page'), (SELECT took_ms FROM access_record WHERE mode = 'page')`).Scan(&took, &none)
	if err != nil || took == nil || *took != 1234 || none != nil {
		t.Errorf("the call took %v ms, and the page has no duration: %v, %v", took, none, err)
	}
	before, err := r.read.Rows(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	owner := r.db.SuperuserPool(t)
	for _, sql := range []string{`ALTER TABLE access_record_default DISABLE TRIGGER access_record_append_only`, `ALTER TABLE access_record DISABLE TRIGGER access_record_append_only`, `UPDATE access_record SET took_ms = 7`} {
		if _, err := owner.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	after, err := r.read.Rows(t.Context(), 0)
	if err != nil || len(before) != 2 || len(after) != 2 || before[0].Hash() != after[0].Hash() || before[1].Hash() != after[1].Hash() {
		t.Errorf("the leaves were %v and are %v, %v", before, after, err)
	}
}
