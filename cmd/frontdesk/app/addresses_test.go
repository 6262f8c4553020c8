package app_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
)

// surgery is a service behind a proxy, whose pages strangers try.
type surgery struct{ *testworld.World }

// visit runs the service, lets do use its pages, and ends it, so that everything that it
// writes behind its answers is written.
func visit(t *testing.T, do func(surgery)) *pgxpool.Pool {
	t.Helper()
	w := testworld.Serve(t, func(c *app.Config) {
		c.AuthURL, c.TrustedProxies = "http://localhost", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	w.Member(w.Practice("elm-street"), "dr.lee")
	do(surgery{w})
	must(t, w.Stop())
	return w.DB.AdminPool(t)
}

// from is a browser at an address, which the proxy names.
func (s surgery) from(t *testing.T, address string) func(method, path string, form url.Values) (status int, page string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	browser := http.Client{Jar: jar}
	return func(method, path string, form url.Values) (int, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader(form.Encode()))
		must(t, err)
		request.Host = "localhost"
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("X-Forwarded-For", address)
		response, err := browser.Do(request)
		must(t, err)
		defer response.Body.Close()
		page, err := io.ReadAll(response.Body)
		must(t, err)
		return response.StatusCode, string(page)
	}
}

// No table holds the address of a sign-in or of a failed one (D65).
func TestNoTableHoldsAnAddress(t *testing.T) {
	t.Parallel()
	const staff = "/elm-street/staff/"
	addresses := map[string]string{"203.0.113.77": "203.0.113.77", "2001:db8:77:88:1:2:3:4": "2001:db8:77:88::/64"}
	pool := visit(t, func(s surgery) {
		for address := range addresses {
			does := s.from(t, address)
			wants := func(method, path string, form url.Values, status int, says string) {
				t.Helper()
				if got, page := does(method, staff+path, form); got != status || !strings.Contains(page, says) {
					t.Errorf("%s: %d, want %d with %q:\n%s", path, got, status, says, page)
				}
			}
			password := url.Values{"username": {"dr.lee"}, "password": {"coffee tin fish"}}
			wrong := url.Values{"username": {"dr.lee"}, "password": {"not the password"}}
			wants(http.MethodGet, "link/"+strings.Repeat("A", 52), nil, http.StatusNotFound, "This link cannot be used")
			wants(http.MethodGet, "displays/link/0190c7a2-0000-7000-8000-0000000000a1/"+strings.Repeat("A", 52), nil, http.StatusNotFound, "This link cannot be used")
			wants(http.MethodPost, "sign-in/passkey", url.Values{"signed": {"{}"}}, http.StatusBadRequest, "This passkey was not accepted")
			wants(http.MethodPost, "sign-in", password, http.StatusOK, "Dr Lee")
			does = s.from(t, address) // another browser
			for range 4 {
				wants(http.MethodPost, "sign-in", wrong, http.StatusBadRequest, "Incorrect username or password")
			}
			wants(http.MethodPost, "sign-in", wrong, http.StatusTooManyRequests, "too often")
		}
	})
	var counted, failed, lockedOut int
	must(t, pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM sign_in_tries),
		(SELECT count(*) FROM events WHERE name = 'staff.sign-in-failed.v1'), (SELECT count(*) FROM events WHERE name = 'staff.locked-out.v1')`).Scan(&counted, &failed, &lockedOut))
	if counted != len(addresses)+1 || failed == 0 || lockedOut == 0 {
		t.Errorf("%d counts, %d events of failures and %d of locks: the attempts are not those of this test", counted, failed, lockedOut)
	}
	for table, rows := range everyTable(t, pool) {
		for address, source := range addresses {
			for _, form := range formsOf(address, source) {
				if strings.Contains(rows, form) {
					t.Errorf("%s holds %s as %s", table, source, form)
				}
			}
		}
	}
}

// formsOf are the forms in which a table could hold a source: as text, as bytes, and as a
// hash that is found by trying all addresses.
func formsOf(address, source string) []string {
	bytes, hash := netip.MustParseAddr(address).AsSlice(), sha256.Sum256([]byte(source))
	return []string{
		strings.TrimSuffix(source, "::/64"), hex.EncodeToString([]byte(strings.TrimSuffix(source, "::/64"))),
		fmt.Sprintf("%x", bytes[:min(8, len(bytes))]), hex.EncodeToString(hash[:]),
	}
}

// everyTable returns the rows of each table.
func everyTable(t *testing.T, pool *pgxpool.Pool) map[string]string {
	t.Helper()
	found, _ := pool.Query(t.Context(), `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
	names, err := pgx.CollectRows(found, pgx.RowTo[string])
	must(t, err)
	all := map[string]string{}
	for _, name := range names {
		var rows string
		must(t, pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(t::text, ' '), '') FROM `+pgx.Identifier{name}.Sanitize()+` t`).Scan(&rows))
		all[name] = rows
	}
	return all
}
