package postgres_test

import (
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
)

// What waits to be told of a patient is withdrawn, with the reason, and their files are
// left to the sweeper. What is being sent, and others' data, stays.
func TestWhatWaitsOfWhoeverIsErasedIsWithdrawn_D70(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	ann, bill := w.register(t), w.register(t)
	do := func(sql string, args ...any) {
		t.Helper()
		if _, err := w.super.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	const queue = `INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status)
		VALUES (gen_random_uuid(), gen_random_uuid(), 1, 'elm-street', $1, $2, gen_random_uuid(), now(), now(), $3)`
	const visit = `INSERT INTO appointments (tenant, appointment, patient, site, starts_at, status) VALUES ('elm-street', $1, $2, $1, now(), 'booked')`
	const file = `INSERT INTO uploads (tenant, upload, started_at, named) VALUES ('elm-street', $1, now(), true)`
	for n, who := range []any{ann, bill} {
		id := [16]byte{15: byte(n + 1)}
		do(visit, id, who)
		do(file, id)
		do(`INSERT INTO attachments (tenant, attachment, request, patient, size, sha256) VALUES ('elm-street', $1, $1, $2, 1, '')`, id, who)
		do(queue, "record.opened", who, "pending")
		do(queue, "callin.notification.shown", id, "pending")
		do(queue, "consultation.started", who, "sending")
	}
	w.do(t, w.processes[0].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), w.askFor(t, ann)))
	for what, c := range map[string]struct {
		want int
		sql  string
	}{
		"withdrawn":              {2, `SELECT count(*) FROM deliveries WHERE status = 'withdrawn' AND reason = 'erased' AND finished_at IS NOT NULL`},
		"still to be sent":       {2, `SELECT count(*) FROM deliveries WHERE status = 'pending'`},
		"being sent":             {2, `SELECT count(*) FROM deliveries WHERE status = 'sending' AND reason IS NULL`},
		"left to the sweeper":    {1, `SELECT count(*) FROM uploads u WHERE NOT named AND NOT EXISTS (SELECT FROM attachments a WHERE a.attachment = u.upload)`},
		"named":                  {1, `SELECT count(*) FROM uploads JOIN attachments ON attachment = upload WHERE named`},
		"appointments of others": {1, `SELECT count(*) FROM appointments`},
	} {
		if n := w.count(t, c.sql); n != c.want {
			t.Errorf("%d are %s, want %d", n, what, c.want)
		}
	}
}
