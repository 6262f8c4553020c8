package eventstore_test

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/staff"
)

// An erasure withdraws a patient's pending deliveries, with the reason, and leaves their
// files to the sweeper. Deliveries being sent, and others' data, stay.
func TestErasureWithdrawsDeliveries_D70(t *testing.T) {
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
	// Another practice may know a patient by the same identifier.
	do(`INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status)
		SELECT gen_random_uuid(), application, idx, 'oak-lane', kind, subject, destination, happened_at, not_after, status FROM deliveries WHERE status = 'pending'`)
	w.do(t, w.processes[0].desk.ConfirmErasure(operatedBy(t.Context(), "bob"), w.askFor(t, ann)))
	for what, c := range map[string]struct {
		want int
		sql  string
	}{
		"withdrawn":              {2, `SELECT count(*) FROM deliveries WHERE status = 'withdrawn' AND reason = 'erased' AND finished_at IS NOT NULL`},
		"still to be sent":       {2, `SELECT count(*) FROM deliveries WHERE status = 'pending' AND tenant = 'elm-street'`},
		"elsewhere":              {4, `SELECT count(*) FROM deliveries WHERE status = 'pending' AND tenant = 'oak-lane'`},
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

// An erasure removes a member's credentials: passwords, passkeys and their names, links,
// sessions, known browsers. Others can go on.
func TestErasureRemovesCredentials_D70(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	w := newWard(t, db, db.URL)
	desk := w.processes[0].desk
	var ids []staff.ID
	for _, username := range []string{"dr.lee", "kim"} {
		id, err := desk.RegisterStaff(t.Context(), commands.RegisterStaff{Tenant: street, Username: username, Name: "Lee", Email: username + "@elm.example"})
		w.do(t, err)
		ids = append(ids, id)
	}
	w.do(t, desk.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: street, Username: "dr.lee"}))
	rows := map[string]string{
		"staff_passwords":     `(tenant, staff, credential, hash) SELECT 'elm-street', staff, staff, 'hash'`,
		"staff_sessions":      `(token_hash, form_key, tenant, staff, credential, signed_in_at, seen_at, id) SELECT staff::text::bytea, '', 'elm-street', staff, staff, now(), now(), staff`,
		"staff_devices":       `(token_hash, tenant, staff, credential, signed_in_at, first_at) SELECT '', 'elm-street', staff, staff, now(), now()`,
		"staff_passkey_uses":  `(tenant, staff, passkey, sign_count, used_at) SELECT 'elm-street', staff, staff, 1, now()`,
		"staff_sign_in_steps": `(token_hash, tenant, staff, credential, expires_at) SELECT staff::text::bytea, 'elm-street', staff, staff, now()`,
		"staff_links":         `(tenant, link, staff, expires_at) SELECT 'elm-street', staff::text::bytea, staff, now()`,
		"staff_passkeys": `(tenant, passkey, staff, name, credential, public_key, backup_eligible, sign_count, added_at)
			SELECT 'elm-street', staff, staff, 'Lee''s phone', staff::text::bytea, '', false, 0, now()`,
	}
	for table, values := range rows {
		_, err := w.super.Exec(t.Context(), `INSERT INTO `+table+` `+values+` FROM staff`)
		w.do(t, err)
	}
	asked, err := desk.EraseStaff(operatedBy(t.Context(), "alice"), commands.EraseStaff{
		Tenant: street, Username: "dr.lee", Basis: erasure.RetentionEnded, Reason: "six years have passed",
	})
	w.do(t, err)
	w.pass(t, erasure.Soonest)
	w.do(t, desk.ConfirmErasure(operatedBy(t.Context(), "bob"), commands.ConfirmErasure{Person: asked.Person, Erasure: asked.Erasure}))
	for table := range rows {
		for n, id := range ids {
			if left := w.count(t, `SELECT count(*) FROM `+table+` WHERE staff = $1`, id); left != n {
				t.Errorf("%s has %d rows of member %d, want %d", table, left, n, n)
			}
		}
	}
	w.do(t, w.super.QueryRow(t.Context(), `SELECT staff FROM staff WHERE staff = $1 AND username LIKE '[erased] %' AND name = '[erased]' AND email = '[erased]'`, ids[0]).
		Scan(new(uuid.UUID)))
}
