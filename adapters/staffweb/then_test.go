package staffweb_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestPageIsKeptThroughSignIn_D155(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	b := c.browser(t)
	day := dayAt + "?date=2026-07-02&site=" + c.branch.String()
	asked := b.get(day + "&again")
	at := atElm + "sign-in?then=" + url.QueryEscape(strings.TrimPrefix(day, atElm))
	asked.wants(t, http.StatusSeeOther, at, "")
	form := b.get(at).form(t, atElm+"sign-in")
	form.Set("username", "kim")
	form.Set("password", "not this one")
	form = b.post(atElm+"sign-in", form).form(t, atElm+"sign-in")
	form.Set("username", "kim")
	form.Set("password", password)
	b.post(atElm+"sign-in", form).wants(t, http.StatusSeeOther, day, "")
	b.get(at).wants(t, http.StatusSeeOther, day, "")

	for _, part := range []string{"day?fragment", "events?topics=inbox"} {
		c.browser(t).get(atElm+part).wants(t, http.StatusSeeOther, atElm+"sign-in", "")
	}
}

func TestPageIsKeptThroughSecondStep_D155(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, k := s.named(t)
	b.signIn(elm, "dr.lee")
	b.adds(k)
	fresh, _ := s.named(t)
	form := url.Values{"username": {"dr.lee"}, "password": {password}, "then": {"account/passkeys?x=1"}}
	second := atElm + "sign-in/second?then=account%2Fpasskeys%3Fx%3D1"
	fresh.post(atElm+"sign-in", form).wants(t, http.StatusSeeOther, second, "")
	form = fresh.get(second).form(t, atElm+"sign-in/second")
	form.Set("signed", k.Sign(t, fresh.asked("second", "")))
	fresh.post(atElm+"sign-in/second", form).wants(t, http.StatusSeeOther, atElm+"account/passkeys?x=1", "")
}

// A stranger's link can name any page, so only those of ours that show something follow.
func TestSignInLeadsToOwnPagesOnly_D155(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	for _, then := range []string{
		"", "/", "//evil.example", "/evil.example", "///evil.example", `\evil.example`, `\\evil.example`, `/\evil.example`, "https://evil.example", "https:evil.example",
		"javascript:alert(1)", "@evil.example", "../../../evil", "..%2f..%2fevil", "%2e%2e/%2e%2e/evil", "day/../../../oak-lane/staff/day", "patients/..", "patients/%2e%2e",
		"../../oak-lane/staff/day", `patients/\evil.example`, "patients/%5cevil.example", "day//", "day/", "./day", "nowhere", "sign-in", "sign-out", "session", "board", "link/secret",
		"account/reset", "account/sessions", "patients%00", "day%0d%0aSet-Cookie:%20x=y", "day\r\nSet-Cookie: x=y", "day?" + strings.Repeat("x", 2000), "%zz",
	} {
		b := c.browser(t)
		answer := b.post(atElm+"sign-in", url.Values{"username": {"kim"}, "password": {password}, "then": {then}})
		answer.wants(t, http.StatusSeeOther, "/elm-street/staff", "")
		b.get(atElm+"sign-in?"+url.Values{"then": {then}}.Encode()).wants(t, http.StatusSeeOther, "/elm-street/staff", "")
	}
	fragment := url.Values{"username": {"kim"}, "password": {password}, "then": {"day#//evil.example"}}
	c.browser(t).post(atElm+"sign-in", fragment).wants(t, http.StatusSeeOther, dayAt, "")
	twice := url.Values{"username": {"kim"}, "password": {password}, "then": {"day", "patients"}}
	c.browser(t).post(atElm+"sign-in", twice).wants(t, http.StatusSeeOther, "/elm-street/staff", "")
	// What a form of ours would have done is not done by an address.
	c.browser(t).post(c.at(c.visit), url.Values{"do": {"cancel"}}).wants(t, http.StatusSeeOther, atElm+"sign-in", "")
}

func TestAppointmentsBeginAtChosenPlace_D155(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	b, other := c.browser(t), c.browser(t)
	b.signIn(elm, "kim")
	other.signIn(elm, "kim")
	chosen := `<option value="` + c.branch.String() + `" selected>`
	room := `<option value="` + c.far.String() + `" selected>`
	at := "?site=" + c.branch.String() + "&room=" + c.far.String()

	b.get(dayAt+at).wants(t, http.StatusOK, "", room) // a link is no choice
	if page := b.get(dayAt); strings.Contains(page.body, chosen) {
		t.Error("a link has changed where Appointments begins")
	}
	b.get(dayAt+at+"&chosen=yes").wants(t, http.StatusOK, "", room)
	for range 2 {
		b.get(dayAt).wants(t, http.StatusOK, "", chosen)
		b.get(dayAt).wants(t, http.StatusOK, "", room)
		b.get(dayAt+"/book?patient="+c.ann.String()).wants(t, http.StatusOK, "", chosen)
		b.get(dayAt+at+"&chosen=yes").wants(t, http.StatusOK, "", room)
	}
	if page := other.get(dayAt); strings.Contains(page.body, chosen) {
		t.Error("the choice of one session is that of another")
	}
	b.get(dayAt+"?site="+c.branch.String()+"&room=&chosen=yes").wants(t, http.StatusOK, "", chosen)
	if page := b.get(dayAt); strings.Contains(page.body, room) || !strings.Contains(page.body, chosen) {
		t.Error("no room is no choice")
	}
	b.get(dayAt+"?site="+c.ann.String()+"&chosen=yes").wants(t, http.StatusNotFound, "", "We could not find that site")
	b.get(dayAt+"?site="+c.main.String()+"&room="+c.far.String()+"&chosen=yes").wants(t, http.StatusOK, "", "Elm House")
	if page := b.get(dayAt); strings.Contains(page.body, room) {
		t.Error("the room of another site is kept")
	}
}
