package staffweb_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/staffweb"
	"frontdesk/commands"
	"frontdesk/domain/staff"
)

const link = "/elm-street/staff/link"

// invite registers a member of staff, and returns the secret of their link.
func (s *service) invite(t *testing.T, tenant, username, name string) (secret string) {
	t.Helper()
	given, err := s.pages.Desk.InviteStaff(t.Context(), commands.InviteStaff{Tenant: tenant, Username: username, Name: name, Email: "kim@practice.example"})
	must(t, err)
	return given.Secret
}

// follow opens a link and follows its redirect.
func (b *browser) follow(secret string) seen {
	b.t.Helper()
	b.get(link+"/"+secret).wants(b.t, http.StatusSeeOther, link, "")
	return b.get(link)
}

// choose sends the form of a link.
func (b *browser) choose(page seen, chosen string) seen {
	b.t.Helper()
	form := page.form(b.t, link)
	form.Set("password", chosen)
	return b.post(link, form)
}

func TestLinkLetsStaffChoosePassword_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	secret := s.invite(t, elm, "kim", "Kim")
	b := s.browser(t)
	for range 3 { // as a mail scanner does
		opened := s.browser(t).get(link + "/" + secret)
		if c := cookie(t, opened, "frontdesk.link-"); c.Value != secret || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.MaxAge != 1800 {
			t.Errorf("the cookie is %v", c)
		}
		if policy := opened.Header.Get("Referrer-Policy"); policy != "no-referrer" || opened.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("Referrer-Policy: %s, Cache-Control: %s", policy, opened.Header.Get("Cache-Control"))
		}
	}
	page := b.follow(secret)
	for _, want := range []string{"<bdi>Kim</bdi></strong> at <strong><bdi>Elm Street Surgery</bdi>", "username <strong><bdi>kim</bdi>", `autocomplete="new-password"`} {
		page.wants(t, http.StatusOK, "", want)
	}
	if strings.Contains(page.body, secret) {
		t.Error("the page holds the secret")
	}
	b.choose(page, "").wants(t, http.StatusBadRequest, "", `href="#password">Enter a password`)
	b.choose(page, "short").wants(t, http.StatusBadRequest, "", `href="#password">A password must`)
	b.choose(page, "KIM").wants(t, http.StatusBadRequest, "", `href="#password">`)
	done := b.choose(page, better)
	done.wants(t, http.StatusSeeOther, account+"?done=link", "")
	if gone := cookie(t, done, "frontdesk.link-"); gone.MaxAge >= 0 {
		t.Errorf("the cookie stays: %v", gone)
	}
	cookie(t, done, "frontdesk.device-")
	b.get(account+"?done=link").wants(t, http.StatusOK, "", "You have chosen your password")
	s.browser(t).post("/elm-street/staff/sign-in", try("kim", better)).wants(t, http.StatusSeeOther, "/elm-street/staff", "")
	b.follow(secret).wants(t, http.StatusNotFound, "", "This link cannot be used")
	for _, private := range []string{secret, better, "Kim", "kim"} {
		if strings.Contains(s.watched.String(), private) {
			t.Errorf("the log holds %q", private)
		}
	}
}

// Every invalid link gets the same answer, which does not reveal the valid ones.
func TestBadLinkAnswerRevealsNothing_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	used, ended, replaced := s.invite(t, elm, "used", "Used"), s.invite(t, elm, "ended", "Ended"), s.invite(t, elm, "replaced", "Replaced")
	b := s.browser(t)
	b.choose(b.follow(used), better).wants(t, http.StatusSeeOther, account+"?done=link", "")
	_, err := s.pages.Desk.InviteAgain(t.Context(), commands.InviteAgain{Tenant: elm, Username: "replaced"})
	must(t, err)
	s.Pass(staff.LinkLifetime)
	elsewhere := s.invite(t, oak, "kim", "Kim")
	good := s.invite(t, elm, "good", "Good")
	left := s.invite(t, elm, "left", "Left")
	must(t, s.pages.Desk.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: elm, Username: "left"}))
	_, guessed := staff.NewLink(s.Now())
	var first string
	for name, c := range map[string]struct{ tenant, secret string }{
		"used": {elm, used}, "ended": {elm, ended}, "replaced": {elm, replaced}, "another practice's": {elm, elsewhere}, "at another practice": {oak, good},
		"of someone who has left": {elm, left}, "guessed": {elm, guessed}, "cut": {elm, good[:20]}, "odd": {elm, "x%0d%0a<script>"},
		"no practice": {"no-such-practice", good}, "none": {elm, "-"},
	} {
		b := s.browser(t)
		path := "/" + c.tenant + "/staff/link"
		b.get(path+"/"+c.secret).wants(t, http.StatusSeeOther, path, "")
		form := url.Values{"password": {better}, "token": {"x"}}
		answers := visibleText(b.get(path), c.tenant) + visibleText(b.post(path, form), c.tenant)
		if !strings.Contains(answers, "This link cannot be used") || strings.Contains(answers, "Elm Street") || strings.Contains(answers, "Good") {
			t.Errorf("%s is answered\n%s", name, answers)
		}
		if first == "" {
			first = answers
		}
		if diff := cmp.Diff(first, answers); diff != "" {
			t.Errorf("%s is answered differently:\n%s", name, diff)
		}
	}
	s.browser(t).follow(good).wants(t, http.StatusOK, "", "Good")
}

func TestConcurrentLinkUseCountsOnce_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	secret := s.invite(t, elm, "kim", "Kim")
	const at = 8
	var group sync.WaitGroup
	var in, out atomic.Int32
	begin := make(chan struct{})
	for range at {
		b := s.browser(t)
		form := b.follow(secret).form(t, link)
		form.Set("password", better)
		group.Go(func() {
			<-begin
			switch answer := b.post(link, form); answer.StatusCode {
			case http.StatusSeeOther:
				in.Add(1)
			case http.StatusNotFound:
				out.Add(1)
			default:
				t.Errorf("%s\n%s", answer.Status, answer.body)
			}
		})
	}
	close(begin)
	group.Wait()
	if in.Load() != 1 || out.Load() != at-1 {
		t.Errorf("%d were let in, %d were not", in.Load(), out.Load())
	}
}

func TestLinkGuessesCountBySource_D67(t *testing.T) {
	t.Parallel()
	s := newService(t, behindAProxy)
	secret := s.invite(t, elm, "kim", "Kim")
	guesser := s.from(t, "192.0.2.1")
	for range 60 {
		_, guess := staff.NewLink(s.Now())
		guesser.follow(guess).wants(t, http.StatusNotFound, "", "This link cannot be used")
	}
	guesser.follow(secret).wants(t, http.StatusNotFound, "", "This link cannot be used")
	s.from(t, "198.51.100.7").follow(secret).wants(t, http.StatusOK, "", "Kim")
	s.Pass(5 * time.Minute)
	guesser.follow(secret).wants(t, http.StatusOK, "", "Kim")
}

// A form with one person's name must not set the password of another, whose link was
// opened in the same browser since.
func TestFormFitsOneLink_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	kim, sam := s.invite(t, elm, "kim", "Kim"), s.invite(t, elm, "sam", "Sam")
	b := s.browser(t)
	kims := b.follow(kim)
	sams := b.follow(sam)
	b.choose(kims, better).wants(t, http.StatusForbidden, "", "Another link has been opened")
	for token, form := range map[string]url.Values{"none": {}, "another": kims.form(t, link)} {
		form.Set("password", better)
		if answer := b.post(link, form); answer.StatusCode != http.StatusForbidden {
			t.Errorf("token %s: %s", token, answer.Status)
		}
	}
	b.header.Set("Sec-Fetch-Site", "cross-site")
	b.choose(sams, better).wants(t, http.StatusForbidden, "", "submitted from another website")
	b.header.Del("Sec-Fetch-Site")
	b.choose(sams, better).wants(t, http.StatusSeeOther, account+"?done=link", "")
	b.get(account).wants(t, http.StatusOK, "", "<bdi>sam</bdi>")
}

func TestLinkEndsExistingSession_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	secret := s.invite(t, elm, "kim", "Kim")
	b, thief := s.browser(t), s.browser(t)
	before := sessionCookie(t, b.signIn(elm, "dr.may"))
	page := b.follow(secret)
	page.wants(t, http.StatusOK, "", "You are signed in here as <bdi>Dr May</bdi>")
	b.get(account).wants(t, http.StatusOK, "", "Dr May") // opening it does not end the session
	b.choose(page, better).wants(t, http.StatusSeeOther, account+"?done=link", "")
	b.get(account).wants(t, http.StatusOK, "", "<bdi>kim</bdi>")
	thief.header.Set("Cookie", before.Name+"="+before.Value)
	thief.get(account).wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=account", "")
}

func TestLinkCookieOverHTTPSIsHostOnly_D67(t *testing.T) {
	t.Parallel()
	s := newService(t, func(p *staffweb.Pages) { p.URL, _ = staffweb.ParseURL("https://auth.example") })
	_, secret := staff.NewLink(s.Now())
	c := cookie(t, s.browser(t).get(link+"/"+secret), "frontdesk.link-")
	if c.Name != "__Host-frontdesk.link-elm-street" || c.Path != "/" || !c.Secure || c.Domain != "" {
		t.Errorf("the cookie is %v", c)
	}
}
