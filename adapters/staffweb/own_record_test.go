package staffweb_test

import (
	"net/http"
	"strings"
	"testing"

	"frontdesk/domain/event"
)

// A member of staff reads what is recorded about them, and nothing about a colleague or a patient's
// name.
func TestStaffReadTheirOwnRecord_D156(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	bob := a.signedIn(t, elm, "bob")
	_, err := a.pool.Exec(t.Context(), `
		WITH b AS (SELECT staff FROM staff WHERE tenant = 'elm-street' AND username = 'bob'), k AS (SELECT staff FROM staff WHERE tenant = 'elm-street' AND username = 'kim'),
		s AS (INSERT INTO sign_ins (tenant, staff, at, session, how) SELECT 'elm-street', staff, $2::timestamptz - n * interval '1 hour', gen_random_uuid(), 'passkey' FROM b, generate_series(1, 60) n
			UNION ALL SELECT 'elm-street', staff, $2::timestamptz - interval '100 days', gen_random_uuid(), 'link' FROM k),
		i AS (INSERT INTO timeline (tenant, patient, idx, kind, entry, actor, at) SELECT 'elm-street', $1::uuid, n, 'record-opened', gen_random_uuid(), 'staff:' || staff, $2::timestamptz FROM b, generate_series(1, 60) n
			UNION ALL SELECT 'elm-street', $1::uuid, 100, 'note', gen_random_uuid(), 'staff:' || staff, $2::timestamptz FROM k)
		INSERT INTO access_record (request_id, at, tenant, application, mode, staff, endpoint, status, code, reason, act, token_hash)
		SELECT $3::uuid, $2::timestamptz, 'elm-street', $4::uuid, 'user-restricted', staff, 'create-note', 403, '', '', NULL, ''::bytea FROM b
		UNION ALL SELECT $5::uuid, $2::timestamptz, 'elm-street', '00000000-0000-0000-0000-000000000000'::uuid, 'page', staff, 'requests', 200, '', '', '{"patients":["' || $1::uuid || '"]}', ''::bytea FROM b
		UNION ALL SELECT $6::uuid, $2::timestamptz, 'elm-street', '00000000-0000-0000-0000-000000000000'::uuid, 'page', staff, 'day', 200, '', '', '{"patients":[]}', ''::bytea FROM k`,
		a.ann.UUID, a.Now(), event.NewID(), a.app, event.NewID(), event.NewID())
	must(t, err)
	const at = "/elm-street/staff/account/record"
	bob.get("/elm-street/staff/account").wants(t, http.StatusOK, "", `<a href="`+at+`">`)
	for _, c := range []struct{ show, row, next string }{
		{"", "Signed in by passkey", "10:00am on 29 June 2026"},
		{"?show=openings", "You opened the record", "You opened the record"},
		{"?show=lists", "You saw 1 patient on the page of requests", ""},
		{"?show=lists", "Triage Helper asked to add notes to patients’ care records for you, and was refused", ""},
	} {
		page := bob.get(at + c.show)
		page.wants(t, http.StatusOK, "", c.row)
		for _, absent := range []string{"by a link", "wrote a note", "day’s page", annName} {
			if strings.Contains(page.body, absent) {
				t.Errorf("%s has %q", c.show, absent)
			}
		}
		if c.next == "" {
			continue
		}
		_, older, more := strings.Cut(page.body, `<a href="`+at+`?before=`)
		older, _, _ = strings.Cut(older, `"`)
		if n := strings.Count(page.body, `<span class="since">`); n != 50 || !more {
			t.Errorf("%s shows %d rows", c.show, n)
		}
		rest := bob.get(at + "?before=" + strings.ReplaceAll(older, "&amp;", "&"))
		rest.wants(t, http.StatusOK, "", c.next)
		if n := strings.Count(rest.body, `<span class="since">`); n != 10 || strings.Contains(rest.body, ">Older<") {
			t.Errorf("%s then shows %d rows", c.show, n)
		}
	}
	for _, junk := range []string{"?before=x", "?show=x&before=-1", "?show=openings&before=x", "?show=lists&before=x"} {
		bob.get(at+junk).wants(t, http.StatusOK, "", "Records about you")
	}
}
