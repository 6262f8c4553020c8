package staffweb_test

import (
	"net/http"
	"strings"
	"testing"
)

// The count of what came shows no patient, and leads to exactly those requests, whose pages lead
// back to them.
func TestNewsLeadsToWhatCame_D156(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	_, err := a.pool.Exec(t.Context(), `
		INSERT INTO inbox (tenant, request, patient, type, urgent, by_proxy, files, submitted_at, idx)
		SELECT 'elm-street', gen_random_uuid(), $1, CASE WHEN n % 4 = 0 THEN 'admin' ELSE 'medical' END, n = 70, false, 0, $2, n FROM generate_series(1, 80) n`, a.ann, a.Now())
	must(t, err)
	const list = "/elm-street/staff/requests"
	bob := a.signedIn(t, elm, "bob")
	for query, want := range map[string]string{
		"?fragment&news&new-since=60":                  `<a href="/elm-street/staff/requests?new-since=60&amp;tab=new" data-count="20">20 new requests, 1 urgent – show</a>`,
		"?fragment&news&new-since=79&tab=done":         `<a href="/elm-street/staff/requests?new-since=79&amp;tab=new" data-count="1">1 new request – show</a>`,
		"?fragment&news&new-since=60&type=medical":     `type=medical" data-count="15">15 new requests, 1 urgent – show</a>`,
		"?fragment&news&new-since=60&urgent&type=junk": `urgent=yes" data-count="1">1 new request, 1 urgent – show</a>`,
	} {
		bob.get(list+query).wants(t, http.StatusOK, "", want)
	}
	for _, none := range []string{"?fragment&news&new-since=80", "?fragment&news&new-since=70&urgent"} {
		if page := bob.get(list + none); page.StatusCode != http.StatusOK || page.body != "" {
			t.Errorf("%s: %d %q", none, page.StatusCode, page.body)
		}
	}
	if lines := a.looks.all(); len(lines) > 0 {
		t.Errorf("the access record has %v", lines)
	}
	page := bob.get(list + "?new-since=60&type=medical&tab=done")
	page.wants(t, http.StatusOK, "", "These requests came since you loaded the list")
	if rows := rowLink.FindAllStringSubmatch(page.body, -1); len(rows) != 15 {
		t.Errorf("%d requests are shown", len(rows))
	}
	page.wants(t, http.StatusOK, "", "?new-since=60&amp;tab=new&amp;type=medical")
	bob.get(a.page+"?new-since=60&type=medical&tab=new").wants(t, http.StatusOK, "", `<a href="/elm-street/staff/requests?new-since=60&amp;tab=new&amp;type=medical">Back to New</a>`)
	first := bob.get(list + "?new-since=5")
	if rows := rowLink.FindAllStringSubmatch(first.body, -1); len(rows) != 50 || nextPage(first.body) != list+"?new-since=55&tab=new" {
		t.Errorf("%d requests, then %q", len(rows), nextPage(first.body))
	}
	for _, junk := range []string{"-5", "x", "99999999999999999999"} {
		if page := bob.get(list + "?new-since=" + junk); page.StatusCode != http.StatusOK || strings.Contains(page.body, "came since") {
			t.Errorf("new-since=%s: %d\n%s", junk, page.StatusCode, page.body)
		}
	}
}
