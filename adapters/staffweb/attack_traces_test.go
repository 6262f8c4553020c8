package staffweb_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/staffweb"
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
)

// Before the right password, the answer reveals neither whether the account exists nor
// its state.
func TestPasswordAnswerRevealsNoAccount_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	owner, k := s.named(t)
	owner.signIn(elm, "dr.lee")
	owner.adds(k)
	s.invite(t, elm, "invited", "Invited")
	for _, username := range []string{"left", "reset"} {
		s.register(t, elm, username, "Somebody", false)
	}
	must(t, s.pages.Desk.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: elm, Username: "left"}))
	_, err := s.pages.Desk.ResetStaff(t.Context(), commands.ResetStaff{Tenant: elm, Username: "reset"})
	must(t, err)
	var first string
	for _, c := range []struct{ tenant, username string }{
		{elm, "dr.may"}, {elm, "dr.lee"}, {elm, "invited"}, {elm, "left"}, {elm, "reset"}, {elm, "nobody"}, {"no-such-practice", "dr.lee"},
	} {
		b, _ := s.named(t)
		at := "/" + c.tenant + "/staff/"
		var said []string
		for range 6 {
			answer := b.post(at+"sign-in", try(c.username, "not the password"))
			said = append(said, heard(answer, c.tenant, c.username))
		}
		for path, form := range map[string]url.Values{
			"sign-in/second": {"signed": {"{}"}}, "challenge": {"for": {"second"}}, "confirm": {"password": {"x"}}, "sign-in/passkey": {"signed": {"{}"}},
		} {
			said = append(said, path+heard(b.post(at+path, form), c.tenant, c.username))
		}
		said = append(said, heard(b.get(at+"sign-in/second"), c.tenant, c.username), heard(b.get(at+"confirm?then=account/passkeys"), c.tenant, c.username))
		text := sorted(said)
		if first == "" {
			first = text
		}
		if diff := cmp.Diff(first, text); diff != "" {
			t.Errorf("%s at %s is answered differently:\n%s", c.username, c.tenant, diff)
		}
	}
}

// heard is everything in an answer that could reveal something, without the typed
// values.
func heard(answer seen, tenant, username string) string {
	header := answer.Header.Clone()
	header.Del("X-Request-Id")
	header.Del("Date")
	header.Del("Content-Length")
	text := fmt.Sprint(answer.Status, header, answer.body)
	return strings.ReplaceAll(strings.ReplaceAll(text, tenant, "…"), html.EscapeString(username), "…")
}

func sorted(said []string) string {
	ordered := append([]string{}, said[:6]...)
	rest := map[string]bool{}
	for _, text := range said[6:] {
		rest[text] = true
	}
	return fmt.Sprint(ordered, rest) // maps are printed in the order of their keys
}

// Names of people, browsers and passkeys, and every secret on the way, stay out of the
// program's log and metrics. Secrets also stay out of every table.
func TestLogsAndTablesHoldNoSecrets_D67(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := newService(t, func(p *staffweb.Pages) { p.Metrics = pagekit.NewMetrics(registry) })
	const evil = `"><script>alert(1)</script>`
	b, k := s.named(t)
	b.header.Set("User-Agent", "Firefox/140.0 Windows "+evil)
	session := sessionCookie(t, b.signIn(elm, "dr.lee")).Value
	form := b.get(atElm+"account/passkeys").form(t, atElm+"account/passkeys")
	asked := b.post(atElm+"challenge", url.Values{"for": {"add"}, "token": {form.Get("token")}})
	form.Set("signed", k.Make(t, []byte(asked.body)))
	form.Set("name", evil)
	b.post(atElm+"account/passkeys", form).wants(t, http.StatusSeeOther, atElm+"account/passkeys?added", "")
	for _, path := range []string{account, atElm + "account/passkeys"} {
		if page := b.get(path).body; strings.Contains(page, evil) || strings.Contains(page, "<script>") {
			t.Errorf("%s shows markup:\n%s", path, page)
		}
	}
	half, _ := s.named(t)
	begun := half.post(atElm+"sign-in", try("dr.lee", password))
	step := cookie(t, begun, "frontdesk.step-").Value
	second := url.Values{"signed": {k.Sign(t, half.asked("second", ""))}}
	done := half.post(atElm+"sign-in/second", second)
	device := cookie(t, done, "frontdesk.device-").Value
	secret := s.invite(t, elm, "kim.private", "Kim Private")
	s.browser(t).follow(secret)
	kept := cookie(t, asked, "frontdesk.challenge-").Value
	counted, err := registry.Gather()
	must(t, err)
	metrics := fmt.Sprint(counted)
	if !strings.Contains(metrics, "signed-in") {
		t.Error("nothing was counted")
	}
	for _, private := range []string{"dr.lee", "Dr Lee", "kim.private", "Kim Private", "script", "Firefox", password} {
		if strings.Contains(s.watched.String(), private) {
			t.Errorf("the log holds %q", private)
		}
		if strings.Contains(metrics, private) {
			t.Errorf("the metrics hold %q", private)
		}
	}
	var tables string
	must(t, s.pool.QueryRow(t.Context(), `
		SELECT (SELECT string_agg(data || metadata, ' ') FROM events) || (SELECT string_agg(to_jsonb(x)::text, ' ') FROM staff_sessions x)
			|| (SELECT string_agg(to_jsonb(x)::text, ' ') FROM staff_links x) || (SELECT string_agg(to_jsonb(x)::text, ' ') FROM staff_devices x)
			|| (SELECT coalesce(string_agg(to_jsonb(x)::text, ' '), '') FROM staff_sign_in_steps x)
			|| (SELECT string_agg(to_jsonb(x)::text, ' ') FROM staff_challenges x)`).Scan(&tables))
	for name, hidden := range map[string]string{"session": session, "step": step, "device": device, "link": secret, "challenge": kept} {
		if hidden == "" || strings.Contains(tables, hidden) || strings.Contains(s.watched.String(), hidden) {
			t.Errorf("the secret of a %s is written down", name)
		}
	}
}
