package staffweb_test

import (
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/httpx"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/staff"
)

// replica is another process over the same database.
func (s *service) replica(t *testing.T) *service {
	t.Helper()
	pages := *s.pages
	pages.Auth.Guesses = signin.NewGuesses(s.Now)
	other := *s
	other.pages = &pages
	other.Server = httptest.NewServer(httpx.WriteDeadline(pages.Handler()))
	t.Cleanup(other.Close)
	return &other
}

// A browser sends the address of a page with the requests for its resources, and
// proxies log it. So no response at the address of a link may cause a Referer.
func TestLinkAddressLeaksIntoNoReferer_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	at := link + "/" + s.invite(t, elm, "kim", "Kim")
	b := s.browser(t)
	for name, answer := range map[string]seen{
		"opened": b.get(at), "looked at": b.do(http.MethodHead, at, nil), "sent": b.post(at, url.Values{}), "not readable": b.get(at + "?%zz"),
		"longer": b.get(at + "/"), "another path": b.get(at + "/style.css"), "of no practice": b.get(strings.Replace(at, elm, "x", 1)),
	} {
		if policy := answer.Header.Get("Referrer-Policy"); policy != "no-referrer" {
			t.Errorf("%s: %s with Referrer-Policy %s", name, answer.Status, policy)
		}
	}
	b.header.Set("Sec-Fetch-Site", "cross-site")
	if policy := b.post(at, url.Values{}).Header.Get("Referrer-Policy"); policy != "no-referrer" {
		t.Errorf("sent by another site: Referrer-Policy %s", policy)
	}
}

func TestTwoReplicasUseLinkOnce_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	secret := s.invite(t, elm, "kim", "Kim")
	browsers := []*browser{s.browser(t), s.replica(t).browser(t)}
	pages := []seen{browsers[0].follow(secret), browsers[1].follow(secret)}
	var group sync.WaitGroup
	answers := make([]seen, 2)
	for n, b := range browsers {
		form := pages[n].form(t, link)
		form.Set("password", better+string(rune('0'+n)))
		group.Go(func() { answers[n] = b.post(link, form) })
	}
	group.Wait()
	winner := 0
	if answers[0].StatusCode != http.StatusSeeOther {
		winner = 1
	}
	answers[winner].wants(t, http.StatusSeeOther, account+"?done=link", "")
	answers[1-winner].wants(t, http.StatusNotFound, "", "This link cannot be used")
	s.browser(t).post(atElm+"sign-in", try("kim", better+string(rune('0'+winner)))).wants(t, http.StatusSeeOther, home, "")
	s.browser(t).post(atElm+"sign-in", try("kim", better+string(rune('1'-winner)))).wants(t, http.StatusBadRequest, "", wrongAnswer)
}

func TestLinkExpiresAfter72Hours_D64(t *testing.T) {
	t.Parallel()
	s := newService(t)
	secret := s.invite(t, elm, "kim", "Kim")
	s.Pass(72*time.Hour - time.Second)
	b := s.browser(t)
	page := b.follow(secret)
	page.wants(t, http.StatusOK, "", "Kim")
	s.Pass(time.Second)
	b.choose(page, better).wants(t, http.StatusNotFound, "", "This link cannot be used")
}

// An intruder at an unattended browser gets no account: neither a new one nor that of a
// manager who has not chosen a password yet.
func TestOldSessionCannotIssueLink_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	_, err := s.pages.Desk.InviteStaff(t.Context(), commands.InviteStaff{
		Tenant: elm, Username: "kim", Name: "Kim", Email: "kim@elm.example", Roles: staff.Roles{staff.Manager},
	})
	must(t, err)
	kims := s.about(t, elm, "kim")
	again, links := b.get(kims).actionForm(t, "reinvite"), s.links(t)
	invited := b.get(people+"?invite").actionForm(t, "invite", staff.Receptionist)
	maps.Copy(invited, url.Values{"name": {"Sam"}, "username": {"sam"}, "email": {"sam@elm.example"}})
	s.Pass(15 * time.Minute)
	back := url.Values{"then": {strings.TrimPrefix(kims, atElm)}}
	b.post(people, again).wants(t, http.StatusSeeOther, atElm+"confirm?"+back.Encode(), "")
	b.post(people, invited).wants(t, http.StatusForbidden, "", "Your text is kept in this page")
	if n := s.links(t); n != links {
		t.Errorf("%d links were made", n-links)
	}
	// Reauthentication comes before the form, so that managers lose no input.
	b.get(people+"?invite").wants(t, http.StatusSeeOther, atElm+"confirm?then=people%3Finvite", "")
	form := b.get(atElm+"confirm?then=people%3Finvite").form(t, atElm+"confirm")
	form.Set("password", password)
	b.post(atElm+"confirm", form).wants(t, http.StatusSeeOther, people+"?invite", "")
	b.get(people+"?invite").wants(t, http.StatusOK, "", "Invite a member of staff")
	secretOf(t, b.post(people, again))
	secretOf(t, b.post(people, invited))
}

// Anyone can write an address, and a manager who follows it could submit a form that
// another person prefilled.
func TestInvitationIgnoresQueryParameters_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	page := b.get(people + "?" + url.Values{
		"invite": {""}, "name": {"Mallory"}, "username": {"mallory"}, "email": {"m@evil.example"}, "role": {"manager"},
	}.Encode())
	page.wants(t, http.StatusOK, "", "Invite a member of staff")
	if shown := html.UnescapeString(page.body); strings.Contains(strings.ToLower(shown), "mallory") || strings.Contains(shown, "evil") || strings.Contains(shown, " checked") {
		t.Errorf("the form is filled in:\n%s", shown)
	}
}
