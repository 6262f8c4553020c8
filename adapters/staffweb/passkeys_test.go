package staffweb_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/staffweb/signin/passkeytest"
)

const atElm = "/" + elm + "/staff/"

// named is a browser at a host name, and a passkey for that name.
func (s *service) named(t *testing.T) (*browser, *passkeytest.Key) {
	t.Helper()
	b := s.browser(t)
	b.host = "localhost:8080"
	return b, passkeytest.New(t, "localhost", "http://localhost:8080")
}

// asked returns the challenge for the browser.
func (b *browser) asked(purpose, token string) []byte {
	b.t.Helper()
	answer := b.post(atElm+"challenge", url.Values{"for": {purpose}, "token": {token}})
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "application/json" {
		b.t.Fatalf("asked to sign for %s: %s\n%s", purpose, answer.Status, answer.body)
	}
	return []byte(answer.body)
}

// adds a passkey of dr.lee, who is signed in.
func (b *browser) adds(k *passkeytest.Key) {
	b.t.Helper()
	form := b.get(atElm+"account/passkeys").form(b.t, atElm+"account/passkeys")
	form.Set("signed", k.Make(b.t, b.asked("add", form.Get("token"))))
	form.Set("name", "My phone")
	b.post(atElm+"account/passkeys", form).wants(b.t, http.StatusSeeOther, atElm+"account/passkeys?added", "")
}

func TestPasskeyFollowsPassword_D66(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, k := s.named(t)
	b.signIn(elm, "dr.lee")
	b.adds(k)

	fresh, _ := s.named(t)
	query := strings.TrimPrefix(s.ask(elm, callback), atElm+"authorise")
	form := url.Values{"username": {"dr.lee"}, "password": {password}, "app": {s.app.String()}, "redirect": {callback}}
	fresh.post(atElm+"sign-in", form).wants(t, http.StatusSeeOther, atElm+"sign-in/second"+query, "")
	fresh.get(atElm+"authorisations").wants(t, http.StatusSeeOther, atElm+"sign-in?then=authorisations", "")
	page := fresh.get(atElm + "sign-in/second" + query)
	page.wants(t, http.StatusOK, "", "you cannot sign in with your password alone")
	second := page.form(t, atElm+"sign-in/second")

	stolen, _ := s.named(t)
	stolen.get(atElm+"sign-in/second").wants(t, http.StatusSeeOther, atElm+"sign-in", "")
	stolen.post(atElm+"challenge", url.Values{"for": {"second"}}).wants(t, http.StatusForbidden, "", "out of date")

	second.Set("signed", k.Sign(t, stolen.asked("sign-in", ""))) // requested by another browser
	fresh.post(atElm+"sign-in/second", second).wants(t, http.StatusBadRequest, "", "This passkey was not accepted.")
	second.Set("signed", k.Sign(t, fresh.asked("second", "")))
	fresh.post(atElm+"sign-in/second", second).wants(t, http.StatusSeeOther, s.ask(elm, callback), "")
	fresh.get(s.ask(elm, callback)).wants(t, http.StatusOK, "", "act for you?")
}

func TestPasskeySignsInWithoutPassword_D66(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, k := s.named(t)
	b.signIn(elm, "dr.lee")
	b.adds(k)
	fresh, _ := s.named(t)
	fresh.post(atElm+"sign-in/passkey", url.Values{"signed": {"nonsense"}}).wants(t, http.StatusBadRequest, "", "This passkey was not accepted.")
	answer := fresh.post(atElm+"sign-in/passkey", url.Values{"signed": {k.Sign(t, fresh.asked("sign-in", ""))}})
	answer.wants(t, http.StatusSeeOther, home, "")
	for _, cookie := range answer.Cookies() {
		if !cookie.HttpOnly || cookie.Path != "/"+elm+"/staff" {
			t.Errorf("the cookie %s is %+v", cookie.Name, cookie)
		}
	}
	fresh.get(atElm+"account/passkeys").wants(t, http.StatusOK, "", "Last used on 1 July 2026.")
	if logged := s.watched.String(); strings.Contains(logged, "dr.lee") || strings.Contains(logged, "My phone") {
		t.Errorf("the log says\n%s", logged)
	}
}

// An IP address cannot have passkeys, and a password is still not enough there.
func TestPasskeysNeedHostName_D66(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, k := s.named(t)
	b.signIn(elm, "dr.lee")
	b.adds(k)
	fresh := s.browser(t)
	if strings.Contains(fresh.get(atElm+"sign-in").body, "data-passkey") {
		t.Error("a passkey is offered at an address of numbers")
	}
	fresh.post(atElm+"challenge", url.Values{"for": {"sign-in"}}).wants(t, http.StatusBadRequest, "", "Passkeys cannot be used at this address")
	fresh.post(atElm+"sign-in", try("dr.lee", password)).wants(t, http.StatusSeeOther, atElm+"sign-in/second", "")
	fresh.get(atElm+"sign-in/second").wants(t, http.StatusOK, "", "Passkeys cannot be used at this address.")
	fresh.get(atElm+"authorisations").wants(t, http.StatusSeeOther, atElm+"sign-in?then=authorisations", "")
}

func TestApprovalNeedsRecentProof_D66(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, _ := s.named(t)
	b.signIn(elm, "dr.lee")
	s.Pass(15*time.Minute - time.Second)
	b.approve(elm, callback)
	s.Pass(time.Second)
	query := strings.TrimPrefix(s.ask(elm, callback), atElm+"authorise") + "&then=authorise"
	b.approve(elm, callback).wants(t, http.StatusSeeOther, atElm+"confirm"+query, "")
	if n := s.granted(t); n != 1 {
		t.Errorf("%d were granted, want 1", n)
	}
	form := b.get(atElm+"confirm"+query).form(t, atElm+"confirm")
	for _, wrong := range []string{"", "not the password"} {
		form.Set("password", wrong)
		b.post(atElm+"confirm", form).wants(t, http.StatusBadRequest, "", "Incorrect password")
	}
	b.approve(elm, callback).wants(t, http.StatusSeeOther, atElm+"confirm"+query, "")
	form.Set("password", password)
	b.post(atElm+"confirm", form).wants(t, http.StatusSeeOther, s.ask(elm, callback), "")
	b.approve(elm, callback)
	if n := s.granted(t); n != 2 {
		t.Errorf("%d were granted, want 2", n)
	}
	s.Pass(16 * time.Minute)
	declined := b.approval(elm, callback)
	declined.Set("decision", "decline")
	b.post(atElm+"authorise", declined).wants(t, http.StatusSeeOther, callback+"?error=access_denied", "")
}

// A copy of the cookie, taken before its owner confirmed who they are, opens nothing
// afterwards. Forms of the owner's other pages are still accepted.
func TestConfirmingEndsOldCookie_D141(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, thief := s.browser(t), s.browser(t)
	b.signIn(elm, "dr.lee")
	address, err := url.Parse(s.URL + atElm + "account")
	must(t, err)
	for _, c := range b.client.Jar.Cookies(address) {
		thief.header.Add("Cookie", c.String())
	}
	other := b.get(atElm+"account/password").form(t, atElm+"account/password")
	thief.get(atElm+"account").wants(t, http.StatusOK, "", "Your account")
	form := b.get(atElm+"confirm?then=account").form(t, atElm+"confirm")
	form.Set("password", password)
	b.post(atElm+"confirm", form).wants(t, http.StatusSeeOther, atElm+"account", "")
	thief.get(atElm+"account").wants(t, http.StatusSeeOther, atElm+"sign-in?then=account", "")
	b.get(atElm+"account").wants(t, http.StatusOK, "", "Your account")
	b.post(atElm+"account/password", other).wants(t, http.StatusBadRequest, "", "Enter your current password")
}

func TestConfirmRedirectsOnlyToOwnPages_D66(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, k := s.named(t)
	b.get(atElm+"confirm?then=account/passkeys").wants(t, http.StatusSeeOther, atElm+"sign-in?then=confirm%3Fthen%3Daccount%252Fpasskeys", "")
	b.signIn(elm, "dr.lee")
	for _, then := range []string{"", "https://evil.example", "//evil.example", "/evil", "../../oak-lane/staff/people", "sign-in"} {
		b.get(atElm+"confirm?"+url.Values{"then": {then}}.Encode()).wants(t, http.StatusBadRequest, "", "could not read")
	}
	form := b.get(atElm+"confirm?then=account/passkeys").form(t, atElm+"confirm")
	form.Set("password", password)
	token := form.Get("token")
	form.Set("token", "x")
	b.post(atElm+"confirm", form).wants(t, http.StatusForbidden, "", "out of date")
	form.Set("token", token)
	b.post(atElm+"confirm", form).wants(t, http.StatusSeeOther, atElm+"account/passkeys", "")

	b.adds(k) // from now on the password does not suffice
	b.post(atElm+"confirm", form).wants(t, http.StatusBadRequest, "", "Incorrect password")
	form.Del("password")
	form.Set("signed", k.Sign(t, b.asked("confirm", token)))
	b.post(atElm+"confirm", form).wants(t, http.StatusSeeOther, atElm+"account/passkeys", "")
}

func TestPasskeyChangeNeedsRecentProof_D66(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, k := s.named(t)
	b.get(atElm+"account/passkeys").wants(t, http.StatusSeeOther, atElm+"sign-in?then=account%2Fpasskeys", "")
	b.signIn(elm, "dr.lee")
	b.adds(k)
	page := b.get(atElm + "account/passkeys")
	form := page.form(t, atElm+"account/passkeys")
	_, below, _ := strings.Cut(page.body, "Add a passkey")
	adding := seen{page.Response, below}.form(t, atElm+"account/passkeys").Get("token")
	s.Pass(16 * time.Minute)
	b.post(atElm+"account/passkeys", form).wants(t, http.StatusSeeOther, atElm+"confirm?then=account%2Fpasskeys", "")
	b.post(atElm+"challenge", url.Values{"for": {"add"}, "token": {adding}}).wants(t, http.StatusForbidden, "", "out of date")

	other := s.browser(t)
	other.signIn(elm, "dr.may")
	other.post(atElm+"account/passkeys", form).wants(t, http.StatusForbidden, "", "out of date")

	confirm := b.get(atElm+"confirm?then=account/passkeys").form(t, atElm+"confirm")
	confirm.Set("signed", k.Sign(t, b.asked("confirm", confirm.Get("token"))))
	b.post(atElm+"confirm", confirm)
	form = b.get(atElm+"account/passkeys").form(t, atElm+"account/passkeys")
	b.post(atElm+"account/passkeys", form).wants(t, http.StatusSeeOther, atElm+"account/passkeys?removed", "")
	b.post(atElm+"account/passkeys", form).wants(t, http.StatusSeeOther, atElm+"account/passkeys?removed", "")
	b.get(atElm+"account/passkeys?removed").wants(t, http.StatusOK, "", `<a href="/elm-street/staff/account#sessions">end your other sessions</a>`)
	s.browser(t).signIn(elm, "dr.lee")
	s.browser(t).post(atElm+"sign-in", try("dr.lee", password)).wants(t, http.StatusSeeOther, home, "")
}
