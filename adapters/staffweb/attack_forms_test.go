package staffweb_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"frontdesk/domain/staff"
)

// posts returns a valid form for every page that a manager sends forms to, by path.
func (b *browser) posts(t *testing.T) map[string]url.Values {
	t.Helper()
	b.service.browser(t).signIn(elm, "dr.may") // so that there is a session to end
	sessions := b.get(account).form(t, account+"/sessions")
	sessions.Set("do", "end-others")
	password := b.get(change).form(t, change)
	password.Set("present", "coffee tin fish")
	password.Set("password", better)
	confirm := b.get(atElm+"confirm?then=account/passkeys").form(t, atElm+"confirm")
	confirm.Set("password", "coffee tin fish")
	passkey := b.get(atElm+"account/passkeys").form(t, atElm+"account/passkeys")
	passkey.Set("signed", "{}")
	return map[string]url.Values{
		account + "/sessions": sessions, change: password, atElm + "confirm": confirm, atElm + "account/passkeys": passkey,
		people:              b.get(b.service.about(t, elm, "dr.lee")).actionForm(t, "roles", staff.Manager),
		atElm + "challenge": {"for": {"confirm"}, "token": {confirm.Get("token")}},
	}
}

// changed returns the contents of the log and of the sign-in tables.
func (s *service) changed(t *testing.T) (state string) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM events) || ' ' || (SELECT string_agg(encode(token_hash, 'hex') || coalesce(confirmed_at::text, ''), ' ' ORDER BY token_hash) FROM staff_sessions)
			|| ' ' || (SELECT count(*) FROM staff_challenges) || ' ' || (SELECT count(*) FROM staff_sign_in_steps)`).Scan(&state))
	return state
}

func TestEveryFormRefusesOtherSites_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.host = "localhost:8080"
	b.signIn(elm, "dr.may")
	posts := b.posts(t)
	for _, open := range []string{"sign-in/passkey", "sign-in/second", "challenge", "link"} {
		if posts[atElm+open] == nil {
			posts[atElm+open] = url.Values{"signed": {"{}"}, "password": {better}}
		}
	}
	before := s.changed(t)
	for name, header := range map[string]http.Header{
		"fetch metadata": {"Sec-Fetch-Site": {"cross-site"}}, "near by": {"Sec-Fetch-Site": {"same-site"}},
		"older": {"Origin": {"https://evil.example"}}, "sandboxed": {"Origin": {"null"}},
	} {
		b.header = header
		for path, form := range posts {
			answer := b.post(path, form)
			answer.wants(t, http.StatusForbidden, "", "submitted from another website")
			if len(answer.Cookies()) > 0 {
				t.Errorf("%s, %s: a cookie was set", name, path)
			}
		}
	}
	if after := s.changed(t); after != before {
		t.Errorf("something was changed: %s, before: %s", after, before)
	}
}

// A form's token is valid for the page and the session that it was made for. It is not
// valid at another page, or in another session of the same person.
func TestEveryFormTokenFitsOnePageAndSession_D27(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other, b := s.browser(t), s.browser(t)
	other.host, b.host = "localhost:8080", "localhost:8080"
	other.signIn(elm, "dr.may")
	theirs := other.posts(t)
	b.signIn(elm, "dr.may")
	posts := b.posts(t)
	tokens := map[string]string{"none": "", "made up": strings.Repeat("A", 43), "signing out": b.get(account).form(t, atElm+"sign-out").Get("token")}
	for path, form := range posts {
		tokens["of "+path] = form.Get("token")
		tokens["of another session at "+path] = theirs[path].Get("token")
	}
	before := s.changed(t)
	for path, form := range posts {
		for name, token := range tokens {
			if token == form.Get("token") {
				continue
			}
			wrong := maps.Clone(form)
			wrong.Set("token", token)
			says := "out of date"
			if path == people { // what was chosen is shown again
				says = "You signed in again"
			}
			if answer := b.post(path, wrong); answer.StatusCode != http.StatusForbidden || !strings.Contains(answer.body, says) {
				t.Errorf("%s with the token %s: %s", path, name, answer.Status)
			}
		}
	}
	if after := s.changed(t); after != before {
		t.Errorf("something was changed: %s, before: %s", after, before)
	}
	b.post(people, posts[people]).wants(t, http.StatusSeeOther, s.about(t, elm, "dr.lee")+"&done=roles", "")
}

// A receptionist with every form of a manager, and a manager of another practice,
// change nothing; nor does a former manager with forms from before.
func TestManagersFormsNeedManagerRole_D63(t *testing.T) {
	t.Parallel()
	s := newService(t)
	may := s.browser(t)
	may.signIn(elm, "dr.may")
	s.register(t, oak, "dr.oak", "Dr Oak", true)
	lee, elsewhere := s.browser(t), s.browser(t)
	lee.signIn(elm, "dr.lee")
	cookie := sessionCookie(t, elsewhere.signIn(oak, "dr.oak"))
	elsewhere.header.Set("Cookie", "frontdesk-"+elm+"="+cookie.Value)
	at := s.about(t, elm, "dr.lee")
	s.register(t, elm, "dr.second", "Dr Second", true)
	for _, do := range []string{"roles", "reset", "deactivate", "reinvite", "reactivate", "invite", "find"} {
		form := may.get(at).actionForm(t, do, staff.Manager)
		before := s.changed(t)
		lee.post(people, form).wants(t, http.StatusForbidden, "", "You cannot use this page")
		elsewhere.post(people, form).wants(t, http.StatusForbidden, "", "Nothing has been saved.")
		s.browser(t).post(people, form).wants(t, http.StatusForbidden, "", "Nothing has been saved.")
		if after := s.changed(t); after != before {
			t.Errorf("%s: something was changed", do)
		}
	}
	form := may.get(at).actionForm(t, "reset")
	second := s.browser(t)
	second.signIn(elm, "dr.second")
	own := s.about(t, elm, "dr.may")
	second.post(people, second.get(own).actionForm(t, "roles", staff.Clinician)).wants(t, http.StatusSeeOther, own+"&done=roles", "")
	may.post(people, form).wants(t, http.StatusForbidden, "", "Only a manager can do this.") // with the very next click
}
