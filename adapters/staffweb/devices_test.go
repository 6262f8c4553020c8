package staffweb_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"frontdesk/adapters/staffweb"
)

const device = "frontdesk.device-"

// Fifty sources guess at one account. Its owner can still sign in with their own
// browser, and no one else can.
func TestGuessesDoNotBlockKnownBrowser_D45(t *testing.T) {
	t.Parallel()
	s := newService(t, behindAProxy)
	owner := s.from(t, "198.51.100.7")
	owner.signIn(elm, "dr.lee")
	for range 4 {
		for n := range 50 {
			s.from(t, fmt.Sprintf("192.0.2.%d", n)).post("/elm-street/staff/sign-in", try("dr.lee", "not the password"))
		}
		for range 48 {
			owner.signIn(elm, "dr.lee")
		}
		s.from(t, "198.51.100.8").post("/elm-street/staff/sign-in", try("dr.lee", password)).
			wants(t, http.StatusTooManyRequests, "", "You have tried too often")
		s.Pass(time.Minute)
	}
}

func TestDeviceCookieAttributes_D45(t *testing.T) {
	t.Parallel()
	plain := newService(t)
	b := plain.browser(t)
	c := cookie(t, b.signIn(elm, "dr.lee"), device)
	if c.Name != device+elm || c.Path != "/elm-street/staff" || !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteStrictMode ||
		c.Domain != "" || c.MaxAge != 90*24*60*60 {
		t.Errorf("by http: %v", c)
	}
	out := b.post("/elm-street/staff/sign-out", b.get("/elm-street/staff/authorisations").form(t, "/elm-street/staff/sign-out"))
	for _, set := range out.Cookies() {
		if set.Name == c.Name {
			t.Errorf("signing out takes the device's cookie: %v", set)
		}
	}
	secure := newService(t, func(p *staffweb.Pages) { p.URL, _ = staffweb.ParseURL("https://auth.example") })
	c = cookie(t, secure.browser(t).signIn(elm, "dr.lee"), device)
	if c.Name != "__Host-"+device+elm || c.Path != "/" || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Domain != "" {
		t.Errorf("by https: %v", c)
	}
}

func TestDeviceCookieGivesNoAccess_D45(t *testing.T) {
	t.Parallel()
	s := newService(t)
	in := s.browser(t).signIn(elm, "dr.lee")
	b := s.browser(t)
	b.header.Set("Cookie", "frontdesk-elm-street="+cookie(t, in, device).Value)
	b.get("/elm-street/staff/authorisations").wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=authorisations", "")
}
