package staffweb_test

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
)

const (
	account  = "/elm-street/staff/account"
	change   = account + "/password"
	sessions = account + "/sessions"
	better   = "a heron on the lamp post"
)

// on sets the browser's User-Agent.
func (b *browser) on(userAgent string) *browser {
	b.header.Set("User-Agent", userAgent)
	return b
}

func TestAccountPageShowsSessions_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	here := s.browser(t).on("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0")
	phone := s.browser(t).on("Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1")
	odd := s.browser(t).on(`<script>alert(1)</script>`)
	here.signIn(elm, "dr.may")
	s.Pass(time.Minute)
	phone.signIn(elm, "dr.may")
	odd.signIn(elm, "dr.may")
	page := here.get(account)
	for _, want := range []string{
		"<bdi>Dr May</bdi>", "<bdi>dr.may</bdi>", "<dd>manager</dd>", "Firefox on Windows (this one)", "<h3>Safari on an iPhone</h3>", "<h3>A browser</h3>",
		"Signed in at 1:00pm on Wednesday 1 July. Last seen at 1:01pm on Wednesday 1 July.",
		`href="/elm-street/staff/account/passkeys"`, `href="/elm-street/staff/authorisations"`,
	} {
		page.wants(t, http.StatusOK, "", want)
	}
	colleague := s.browser(t)
	colleague.signIn(elm, "dr.lee")
	colleague.get(account).wants(t, http.StatusOK, "", "<dd>no role</dd>")

	here.post(sessions, page.form(t, sessions)).wants(t, http.StatusSeeOther, account+"?done=session", "")
	here.get(account+"?done=session").wants(t, http.StatusOK, "", "The session has ended.")
	if page := here.get(account); strings.Count(page.body, "<h3>") != 2 {
		t.Errorf("want one session fewer:\n%s", page.body)
	}
	form := page.form(t, sessions)
	form.Set("do", "end-others")
	here.post(sessions, form).wants(t, http.StatusSeeOther, account+"?done=others", "")
	for _, b := range []*browser{phone, odd} {
		b.get(account).wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=account", "")
	}
	here.get(account).wants(t, http.StatusOK, "", "(this one)")
	colleague.get(account).wants(t, http.StatusOK, "", "Dr Lee")
}

// A thief of a session, at an unattended browser or elsewhere, does not end the owner's.
func TestEndingSessionsNeedsReauthentication_D66(t *testing.T) {
	t.Parallel()
	s := newService(t)
	here, other := s.browser(t), s.browser(t)
	here.signIn(elm, "dr.lee")
	s.Pass(15 * time.Minute)
	other.signIn(elm, "dr.lee")
	form := here.get(account).form(t, sessions)
	for _, do := range []string{"", "end-others"} {
		form.Set("do", do)
		here.post(sessions, form).wants(t, http.StatusSeeOther, atElm+"confirm?then=account", "")
	}
	other.get(account).wants(t, http.StatusOK, "", "Dr Lee")
	confirm := here.get(atElm+"confirm?then=account").form(t, atElm+"confirm")
	confirm.Set("password", password)
	here.post(atElm+"confirm", confirm).wants(t, http.StatusSeeOther, account, "")
	here.post(sessions, form).wants(t, http.StatusSeeOther, account+"?done=others", "")
	other.get(account).wants(t, http.StatusSeeOther, atElm+"sign-in?then=account", "")
}

func TestForeignSessionCannotBeEnded_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	victim, elsewhere, attacker := s.browser(t), s.browser(t), s.browser(t)
	victim.signIn(elm, "dr.lee")
	elsewhere.signIn(oak, "dr.lee")
	attacker.signIn(elm, "dr.may")
	s.browser(t).signIn(elm, "dr.may")
	form := attacker.get(account).form(t, sessions)
	var ids []string
	must(t, s.pool.QueryRow(t.Context(), `SELECT array_agg(id::text) FROM staff_sessions`).Scan(&ids))
	mine := form.Get("session")
	for _, id := range ids {
		if form.Set("session", id); id == mine {
			continue
		}
		var own bool
		must(t, s.pool.QueryRow(t.Context(), `SELECT s.username = 'dr.may' FROM staff_sessions n JOIN staff s USING (tenant, staff) WHERE id = $1`, id).Scan(&own))
		if !own {
			attacker.post(sessions, form).wants(t, http.StatusSeeOther, account+"?done=session", "") // as if it had ended by itself
		}
	}
	victim.get(account).wants(t, http.StatusOK, "", "Dr Lee")
	elsewhere.get("/oak-lane/staff/account").wants(t, http.StatusOK, "", "Dr Lee")
	form.Set("session", "x")
	attacker.post(sessions, form).wants(t, http.StatusBadRequest, "", "could not read")
	form.Set("token", victim.get(change).form(t, change).Get("token"))
	attacker.post(sessions, form).wants(t, http.StatusForbidden, "", "out of date")
}

func TestStaffChangeTheirOwnPassword_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	here, other := s.browser(t), s.browser(t)
	here.signIn(elm, "dr.lee")
	other.signIn(elm, "dr.lee")
	here.approve(elm, callback)
	before := here.get(account)
	form := here.get(change).form(t, change)
	typed := func(present, chosen string) url.Values {
		f := maps.Clone(form)
		f.Set("present", present)
		f.Set("password", chosen)
		return f
	}
	for want, f := range map[string]url.Values{
		`href="#present">Enter your current password`: typed("", better),
		`href="#password">Enter a new password`:       typed(password, ""),
		`href="#password">A password must`:            typed(password, "short"),
		`href="#present">Incorrect password`:          typed("not the password", better),
	} {
		page := here.post(change, f)
		page.wants(t, http.StatusBadRequest, "", want)
		page.wants(t, http.StatusBadRequest, "", "<title>Error: Change your password")
		if strings.Contains(page.body, better) || strings.Contains(page.body, password) {
			t.Error("the page repeats a password")
		}
	}
	other.get(account).wants(t, http.StatusOK, "", "Dr Lee")

	here.post(change, typed(password, better)).wants(t, http.StatusSeeOther, account+"?done=password", "")
	here.get(account+"?done=password").wants(t, http.StatusOK, "", "no application can act for you")
	other.get(account).wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=account", "")
	if standing, _ := s.may(t, elm, "dr.lee"); standing {
		t.Error("the application can still act")
	}
	here.post(sessions, before.form(t, "/elm-street/staff/sign-out")).wants(t, http.StatusForbidden, "", "out of date") // of the session before
	fresh := s.browser(t)
	fresh.post("/elm-street/staff/sign-in", try("dr.lee", password)).wants(t, http.StatusBadRequest, "", wrongAnswer)
	fresh.post("/elm-street/staff/sign-in", try("dr.lee", better)).wants(t, http.StatusSeeOther, "/elm-street/staff", "")
}

// At an unattended browser a guesser has no more attempts than at the sign-in page.
func TestOwnPasswordGuessesCount_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	form := b.get(change).form(t, change)
	form.Set("password", better)
	form.Set("present", "a guess")
	for range 5 { // of the known browser
		b.post(change, form).wants(t, http.StatusBadRequest, "", "Incorrect password")
	}
	for range 4 { // of a stranger
		b.post(change, form)
	}
	form.Set("present", password)
	b.post(change, form).wants(t, http.StatusSeeOther, account+"?done=password", "")

	form = b.get(change).form(t, change)
	form.Set("password", password)
	form.Set("present", "a guess")
	for range 10 {
		b.post(change, form)
	}
	form.Set("present", better)
	b.post(change, form).wants(t, http.StatusTooManyRequests, "", "Incorrect password. You have tried too often: you can try again in 1 minute.")
}

// resetting resets a member once their password was found right.
type resetting struct {
	passwords
	reset func()
}

func (r resetting) Check(ctx context.Context, tenant, username, typed string) (signin.Holder, bool, error) {
	holder, right, err := r.passwords.Check(ctx, tenant, username, typed)
	r.reset()
	return holder, right, err
}

func TestResetCancelsPasswordChange_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	form := b.get(change).form(t, change)
	form.Set("present", password)
	form.Set("password", better)
	s.pages.Auth.Passwords = resetting{passwords{s.pool}, func() {
		_, err := s.pages.Desk.ResetStaff(t.Context(), commands.ResetStaff{Tenant: elm, Username: "dr.lee"})
		must(t, err)
	}}
	b.post(change, form).wants(t, http.StatusForbidden, "", "out of date")
	s.pages.Auth.Passwords = passwords{s.pool}
	s.browser(t).post("/elm-street/staff/sign-in", try("dr.lee", better)).wants(t, http.StatusBadRequest, "", wrongAnswer)
}

func TestDeactivationShowsAtNextClick_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, stranger := s.browser(t), s.browser(t)
	b.signIn(elm, "dr.lee")
	form := b.get(account).form(t, "/elm-street/staff/sign-out")
	must(t, s.pages.Desk.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: elm, Username: "dr.lee"}))
	b.post(sessions, form).wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?unsaved", "")
	page := b.get("/elm-street/staff/sign-in")
	page.wants(t, http.StatusOK, "", "your account at the practice has been deactivated")
	if gone := sessionCookie(t, page); gone.MaxAge >= 0 {
		t.Errorf("the cookie stays: %v", gone)
	}
	for _, b := range []*browser{b, stranger} { // once, and no other
		if page := b.get("/elm-street/staff/sign-in"); strings.Contains(page.body, "deactivated") {
			t.Error("the sign-in page tells that somebody was deactivated")
		}
	}
	b.post("/elm-street/staff/sign-in", try("dr.lee", password)).wants(t, http.StatusBadRequest, "", wrongAnswer)
}

func TestIdleSessionEndsWithReason_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.lee")
	s.Pass(31 * time.Minute)
	b.get(account).wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=account", "")
	b.get("/elm-street/staff/sign-in").wants(t, http.StatusOK, "", "had not used these pages for some time")
}

func TestFormOfEndedSessionSaysNothingIsSaved_D143(t *testing.T) {
	t.Parallel()
	for name, pass := range map[string]time.Duration{"idle": 31 * time.Minute, "12 hours": 12*time.Hour + time.Minute} {
		s := newService(t)
		b := s.browser(t)
		b.signIn(elm, "dr.lee")
		form := b.get(account).form(t, "/elm-street/staff/sign-out")
		s.Pass(pass)
		answer := b.post(sessions, form)
		answer.wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?unsaved", "")
		page := b.get(answer.Header.Get("Location"))
		page.wants(t, http.StatusOK, "", "Nothing has been saved.")
		if plain := b.get("/elm-street/staff/sign-in"); strings.Contains(plain.body, "Nothing has been saved") {
			t.Errorf("%s: the sign-in page says so without a form", name)
		}
		s.browser(t).post(sessions, nil).wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in", "")
	}
}
