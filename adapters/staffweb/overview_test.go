package staffweb_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/domain/event"
)

var cell = regexp.MustCompile(`<t[dh][^>]*>(.*?)</t[dh]>`)

// cellsOf is the cells of the table row of a page that has a text.
func cellsOf(body, text string) (cells []string) {
	for row := range strings.SplitSeq(body, "<tr>") {
		if strings.Contains(row, text) && strings.Contains(row, "</td>") {
			for _, c := range cell.FindAllStringSubmatch(row, -1) {
				cells = append(cells, c[1])
			}
		}
	}
	return cells
}

// It is noon of 1 July in UTC, and 1pm at the practice.
func TestManagerSeesWorkInNumbers_D156(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	_, err := a.pool.Exec(t.Context(), `
		INSERT INTO inbox (tenant, request, patient, type, urgent, by_proxy, files, submitted_at, idx, holder, done_at)
		SELECT t, gen_random_uuid(), $1::uuid, type, urgent, false, 0, at::timestamptz, 1, CASE WHEN holder THEN $1::uuid END, done::timestamptz
		FROM (VALUES ('elm-street', 'medical', false, '2026-06-30T02:00:00Z', false, NULL), ('elm-street', 'medical', true, '2026-07-01T08:10:00Z', false, NULL),
			('elm-street', 'medical', false, '2026-07-01T08:50:00Z', true, NULL), ('elm-street', 'medical', false, '2026-06-30T22:59:00Z', true, '2026-07-01T08:15:00Z'),
			('elm-street', 'medical', false, '2026-06-30T23:00:00Z', true, '2026-07-01T10:15:00Z'), ('elm-street', 'medical', false, '2026-06-30T10:00:00Z', true, '2026-06-30T22:59:00Z'),
			('elm-street', 'admin', false, '2026-07-01T10:59:00Z', false, NULL), ('oak-lane', 'admin', false, '2026-07-01T10:59:00Z', false, NULL)) v (t, type, urgent, at, holder, done)`, a.ann.UUID)
	must(t, err)
	_, err = a.pool.Exec(t.Context(), `
		WITH s AS (INSERT INTO sites (tenant, site, name) VALUES ('elm-street', $1::uuid, 'Elm House'), ('oak-lane', $2::uuid, 'Oak House') RETURNING tenant, site)
		INSERT INTO appointments (tenant, appointment, patient, site, starts_at, status, arrived_at)
		SELECT s.tenant, gen_random_uuid(), $3::uuid, s.site, at::timestamptz, status, arrived::timestamptz
		FROM s, (VALUES ('2026-07-01T08:00:00Z', 'attended', NULL), ('2026-07-01T08:10:00Z', 'booked', '2026-07-01T08:00:00Z'), ('2026-07-01T22:50:00Z', 'booked', NULL),
			('2026-07-01T23:10:00Z', 'booked', NULL), ('2026-07-01T09:00:00Z', 'did-not-attend', NULL)) v (at, status, arrived)`, event.NewID(), event.NewID(), a.ann.UUID)
	must(t, err)
	may := a.signedIn(t, elm, "dr.may")
	page := may.get("/elm-street/staff/overview")
	page.wants(t, http.StatusOK, "", `<a href="/elm-street/staff/opening/type/medical#pause">Pause`)
	for _, want := range []struct {
		row   string
		cells []string
	}{
		{"opening/type/medical", []string{"Medical requests", "2", "1 day", "1", "0", "3", "2"}},
		{"opening/type/admin", []string{"Admin requests", "1", "1 h", "0", "0", "1", "0"}},
		{`row">12am<`, []string{"12am", "1", "0", "0", "0"}},
		{`row">9am<`, []string{"9am", "2", "1", "0", "0"}},
		{`row">10am<`, []string{"10am", "0", "0", "0", "0"}},
		{`row">11am<`, []string{"11am", "0", "1", "1", "0"}},
		{"Elm House", []string{"<bdi>Elm House</bdi>", "1", "1", "0", "1", "1", "0"}},
	} {
		if got := cellsOf(page.body, want.row); len(got) < len(want.cells) || !slices.Equal(got[:len(want.cells)], want.cells) {
			t.Errorf("%s has %q, want %q", want.row, got, want.cells)
		}
	}
	for _, absent := range []string{"Oak House", annName, a.ann.String()} {
		if strings.Contains(page.body, absent) {
			t.Errorf("the page has %q", absent)
		}
	}
	if lines := a.looks.all(); len(lines) > 0 {
		t.Errorf("the access record has %v", lines)
	}
	may.means(ofMedical("pause", "end", "never"))
	may.get("/elm-street/staff/overview").wants(t, http.StatusOK, "", `<span class="tag yellow">Paused</span>`)
}
