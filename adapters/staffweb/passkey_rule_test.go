package staffweb_test

import (
	"errors"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/staffweb/signin/passkeytest"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

const (
	addPasskey = atElm + "account/passkeys"
	ruleAt     = atElm + "people/passkeys"
	fortnight  = 14 * 24 * time.Hour
)

func TestRoleNeedsPasskeyAfter14Days_D152(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.member(t, "rose", staff.Receptionist)
	s.member(t, "olly", staff.PrivacyOfficer)
	rose, olly := s.browser(t), s.browser(t)
	may, key := s.named(t)
	may.signIn(elm, "dr.may")
	may.get(people).wants(t, http.StatusOK, "", "From 15 July 2026, you cannot work on these pages without one.")
	s.Pass(fortnight - time.Second)
	may.signIn(elm, "dr.may")
	may.get(people).wants(t, http.StatusOK, "", "From 15 July 2026")

	s.Pass(time.Second)
	may.get(people).wants(t, http.StatusSeeOther, addPasskey, "")
	may.get(atElm).wants(t, http.StatusSeeOther, atElm+"overview", "") // which leads there, too
	may.get(atElm+"opening").wants(t, http.StatusSeeOther, addPasskey, "")
	page := may.get(addPasskey)
	page.wants(t, http.StatusOK, "", "Since 15 July 2026, you cannot work on these pages without one.")
	if strings.Contains(page.body, "Connected apps") || strings.Contains(page.body, `role="search"`) {
		t.Errorf("the page leads elsewhere:\n%s", page.body)
	}
	rose.signIn(elm, "rose")
	rose.get(atElm+"requests").wants(t, http.StatusOK, "", "Requests")
	olly.signIn(elm, "olly")
	olly.get(atElm+"privacy").wants(t, http.StatusSeeOther, addPasskey, "")

	may.adds(key)
	may.get(people).wants(t, http.StatusOK, "", "Invite a member of staff")
	if strings.Contains(may.get(people).body, "you cannot work on these pages") {
		t.Error("the notice stays")
	}
}

// A member who can only add a passkey reaches no other page, whatever they send.
func TestNoOtherPageWithoutPasskey_D152(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.member(t, "all", staff.AllRoles()...)
	s.Pass(fortnight)
	b := s.browser(t)
	b.signIn(elm, "all")
	open := 0
	for route, access := range verdicts {
		method, path, _ := strings.Cut(route, " ")
		if !slices.Contains(access[2:], refused) && access[0] != asked || access[0] == dark || path == "" || path == "/" || strings.HasPrefix(path, "/sign-in") {
			continue // public, or of a screen
		}
		answer := b.do(method, "/elm-street/staff"+path, url.Values{})
		leads := answer.StatusCode == http.StatusSeeOther && answer.Header.Get("Location") == addPasskey
		if own := path == "/account/passkeys" || path == "/confirm"; own == leads {
			t.Errorf("%s: %s to %q", route, answer.Status, answer.Header.Get("Location"))
		} else if own {
			open++
		}
	}
	if open != 4 {
		t.Errorf("%d pages are open, want two with two methods", open)
	}
}

// A form that was opened in time changes nothing afterwards.
func TestFormOfEndedPeriodChangesNothing_D152(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.member(t, "rose", staff.Receptionist)
	b := s.browser(t)
	s.Pass(fortnight - time.Minute)
	b.signIn(elm, "dr.may")
	form := b.get(s.about(t, elm, "rose")).actionForm(t, "roles", staff.Manager)
	s.Pass(time.Minute)
	b.post(people, form).wants(t, http.StatusSeeOther, addPasskey, "")
	b.get(s.ask(elm, callback)).wants(t, http.StatusSeeOther, addPasskey, "")
	carried := s.browser(t).post(people, form) // of a browser that is signed out
	carried.wants(t, http.StatusForbidden, "", "Sign in")
	again := carried.form(t, atElm+"sign-in")
	again.Set("username", "dr.may")
	again.Set("password", password)
	fresh := s.browser(t)
	fresh.post(atElm+"sign-in", again).wants(t, http.StatusSeeOther, addPasskey, "")
	if n := s.recorded(t, "staff.roles-set.v1"); n != 2 { // dr.may's, rose's
		t.Errorf("%d times roles were set, want 2", n)
	}
}

// recorded counts the events of a name.
func (s *service) recorded(t *testing.T, name string) (n int) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE name = $1`, name).Scan(&n))
	return n
}

// The only manager signs in by password after a year, confirms it again, and adds a passkey.
func TestOnlyManagerIsNeverLockedOut_D152(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Pass(365 * 24 * time.Hour)
	b, key := s.named(t)
	b.signIn(elm, "dr.may")
	s.Pass(16 * time.Minute)
	b.get(addPasskey).wants(t, http.StatusOK, "", "confirm that it is you")
	form := b.get(atElm+"confirm?then=account/passkeys").form(t, atElm+"confirm")
	form.Set("password", password)
	b.post(atElm+"confirm", form).wants(t, http.StatusSeeOther, addPasskey, "")
	b.adds(key)
	b.get(people).wants(t, http.StatusOK, "", "Invite a member of staff")
}

func TestNeededPasskeyCannotBeRemoved_D152(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, key := s.named(t)
	b.signIn(elm, "dr.may")
	b.adds(key)
	id, page := "", b.get(addPasskey)
	page.wants(t, http.StatusOK, "", "To remove this one, add another first.")
	if strings.Contains(page.body, `value="remove"`) {
		t.Error("a button removes it")
	}
	b.adds(passkeytest.New(t, "localhost", "http://localhost:8080"))
	form := b.get(addPasskey).form(t, addPasskey)
	for _, want := range []int{http.StatusSeeOther, http.StatusBadRequest} {
		must(t, s.pool.QueryRow(t.Context(), `SELECT passkey::text FROM staff_passkeys LIMIT 1`).Scan(&id))
		form.Set("passkey", id)
		answer := b.post(addPasskey, form)
		if answer.StatusCode != want {
			t.Errorf("%s, want %d:\n%s", answer.Status, want, answer.body)
		}
		if want == http.StatusBadRequest {
			answer.wants(t, want, "", html.EscapeString(staff.ErrLastPasskey.Detail))
		}
	}
	if n := s.recorded(t, "staff.passkey-removed.v1"); n != 1 {
		t.Errorf("%d were removed, want 1", n)
	}
}

// ruleForm is the form of the rule, with these roles.
func (b *browser) ruleForm(t *testing.T, roles ...staff.Role) url.Values {
	t.Helper()
	form := b.get(ruleAt).form(t, ruleAt)
	for _, role := range roles {
		form.Add("role", string(role))
	}
	return form
}

func TestManagerWithoutPasskeyOnlyAddsRoles_D152(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.member(t, "mia", staff.Manager)
	mia := s.browser(t)
	mia.signIn(elm, "mia")
	may, key := s.named(t)
	may.signIn(elm, "dr.may")
	weak := html.EscapeString(staff.ErrRuleWeakened.Detail)
	may.get(ruleAt).wants(t, http.StatusOK, "", "you can add roles to this list but remove none")
	may.post(ruleAt, may.ruleForm(t, staff.Manager)).wants(t, http.StatusBadRequest, "", weak)
	may.post(ruleAt, may.ruleForm(t)).wants(t, http.StatusBadRequest, "", weak)
	may.post(ruleAt, may.ruleForm(t, staff.Clinician, staff.Manager)).wants(t, http.StatusBadRequest, "", weak)
	may.post(ruleAt, may.ruleForm(t, staff.Clinician, staff.Manager, staff.PrivacyOfficer)).wants(t, http.StatusSeeOther, ruleAt+"?done", "")

	old := mia.get(atElm + "people") // opened before
	old.wants(t, http.StatusOK, "", "Invite")
	may.adds(key)
	stale := may.ruleForm(t, staff.PrivacyOfficer)
	stale.Set("seen", "0")
	may.post(ruleAt, stale).wants(t, http.StatusBadRequest, "", html.EscapeString(staff.ErrRuleChanged.Detail))
	s.Pass(16 * time.Minute)
	confirm := may.post(ruleAt, may.ruleForm(t, staff.PrivacyOfficer)).form(t, atElm+"confirm")
	confirm.Set("signed", key.Sign(t, may.asked("confirm", confirm.Get("token"))))
	may.post(atElm+"confirm", confirm).wants(t, http.StatusOK, "", `value="privacy-officer" checked`)
	may.post(ruleAt, may.ruleForm(t, staff.PrivacyOfficer)).wants(t, http.StatusSeeOther, ruleAt+"?done", "")

	// The other manager learns of it, and who did it.
	mia.get(ruleAt).wants(t, http.StatusOK, "", "privacy officer, by <bdi>Dr May</bdi>")
	mia.signIn(elm, "mia")
	mia.get(people).wants(t, http.StatusOK, "", "Roles that need a passkey: privacy officer, by <bdi>Dr May</bdi>")
	mia.get(people).lacks(t, "Roles that need a passkey: privacy officer")
}

func (s seen) lacks(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(s.body, text) {
		t.Errorf("%s shows %q:\n%s", s.Request.URL, text, s.body)
	}
}

func TestOthersCannotSetPasskeyRule_D152(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.member(t, "olly", staff.PrivacyOfficer)
	may, olly, lee := s.browser(t), s.browser(t), s.browser(t)
	may.signIn(elm, "dr.may")
	form := may.ruleForm(t, staff.AllRoles()...)
	olly.signIn(elm, "olly")
	olly.get(ruleAt).wants(t, http.StatusForbidden, "", "Only a manager can do this.")
	olly.post(ruleAt, form).wants(t, http.StatusForbidden, "", "Only a manager can do this.")
	lee.signIn(oak, "dr.lee") // of another practice
	lee.post(ruleAt, form).wants(t, http.StatusForbidden, "", "Sign in")
	s.member(t, "mia", staff.Manager)
	mia := s.browser(t)
	mia.signIn(elm, "mia")
	mia.post(ruleAt, form).wants(t, http.StatusForbidden, "", "A colleague opened the page")

	id := func(tenant, username string) event.Actor {
		id, err := s.pages.Desk.Staff.StaffByUsername(t.Context(), tenant, username)
		must(t, err)
		return event.Staff(id.UUID)
	}
	set := func(by event.Actor, tenant string, roles ...staff.Role) error {
		return s.pages.Desk.SetPasskeyRule(event.WithMetadata(t.Context(), event.Metadata{Actor: by}), commands.SetPasskeyRule{Tenant: tenant, Roles: roles, Seen: -1})
	}
	must(t, s.pages.Desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: "ash", Name: "Ash"}))
	for name, c := range map[string]struct{ got, want error }{
		"of another practice":              {set(id(elm, "dr.may"), oak, staff.AllRoles()...), staff.ErrRuleForManagers},
		"an officer":                       {set(id(elm, "olly"), elm, staff.AllRoles()...), staff.ErrRuleForManagers},
		"an operator":                      {set(event.Operator("alice", ""), elm), staff.ErrRuleWeakened},
		"an operator acting for a manager": {set(event.Operator("alice", "").ActingFor(id(elm, "dr.may").Member()), elm), staff.ErrRuleWeakened},
		"an operator before any password":  {set(event.Operator("alice", ""), "ash"), nil},
		"an operator who adds a role":      {set(event.Operator("alice", ""), elm, staff.AllRoles()...), nil},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	must(t, s.pages.Desk.DeactivateStaff(event.WithMetadata(t.Context(), event.Metadata{Actor: event.Operator("alice", "")}), commands.DeactivateStaff{Tenant: oak, Username: "dr.lee"}))
	if err := set(event.Operator("alice", ""), oak); !errors.Is(err, staff.ErrRuleWeakened) {
		t.Errorf("an operator who has taken the only password: %v, want %v", err, staff.ErrRuleWeakened)
	}
}

// Where no passkey can belong to the pages' address, the rule would lock everyone out.
func TestAddressOfNumbersNeedsNoPasskey_D152(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)
	late := signin.Session{PasskeyBy: now}
	for address, want := range map[string]bool{
		"": true, "https://auth.example": true, "http://localhost:8080": true, "https://192.0.2.7": false, "http://127.0.0.1:8080": false,
	} {
		site := &pagekit.Site{Now: func() time.Time { return now }}
		if address != "" {
			var err error
			site.URL, err = url.Parse(address)
			must(t, err)
		}
		if got := site.Keyless(late); got != want || site.Keyless(signin.Session{PasskeyBy: now.Add(1)}) || site.Keyless(signin.Session{}) {
			t.Errorf("%q: the rule binds = %t, want %t", address, got, want)
		}
	}
}

func TestFirstPageTellsWhatHappened_D152(t *testing.T) {
	t.Parallel()
	s := newService(t)
	lee, _ := s.named(t)
	lee.signIn(elm, "dr.lee")
	const told = "Since you last signed in"
	lee.get(account).lacks(t, told) // the first sign-in
	s.Pass(time.Hour)
	lee.signIn(elm, "dr.lee")
	lee.get(account).lacks(t, told) // nothing happened

	// A thief who knows the password adds a passkey with a browser of their own.
	s.Pass(time.Hour)
	thief, key := s.named(t)
	thief.signIn(elm, "dr.lee")
	thief.get(account)
	s.failed(t, "dr.lee", 3)
	s.Pass(time.Hour)
	lee.signIn(elm, "dr.lee")
	lee.get(atElm).wants(t, http.StatusSeeOther, atElm+"authorisations", "") // shows nothing yet
	first := lee.get(atElm + "authorisations")
	for _, want := range []string{told, "The last of 3 failed attempts to sign in as you, since then", "Someone signed in as you with a browser that had not been used before"} {
		first.wants(t, http.StatusOK, "", want)
	}
	lee.get(atElm+"authorisations").lacks(t, told) // once

	s.Pass(time.Hour)
	thief.signIn(elm, "dr.lee")
	thief.adds(key)
	may := s.browser(t)
	may.signIn(elm, "dr.may")
	act := func(do string) seen { return may.post(people, may.get(s.about(t, elm, "dr.lee")).actionForm(t, do)) }
	act("request-reset")
	s.Pass(24 * time.Hour)
	may.signIn(elm, "dr.may")
	owner := s.browser(t)
	owner.choose(owner.follow(secretOf(t, act("reset"))), better).wants(t, http.StatusSeeOther, account+"?done=link", "")
	page := owner.get(account + "?done=link")
	for _, want := range []string{"Your password and your passkeys were reset, by <bdi>Dr May</bdi>", "A passkey was added, by <bdi>you</bdi>"} {
		page.wants(t, http.StatusOK, "", want)
	}
}

// A member has ten known browsers. A thief of the password who signs in with ten others has the
// owner's forgotten, and must not hide by that.
func TestManySignInsHideNoNews_D152(t *testing.T) {
	t.Parallel()
	s := newService(t)
	lee := s.browser(t)
	lee.signIn(elm, "dr.lee")
	lee.get(account)
	for range 11 {
		s.Pass(time.Minute)
		s.browser(t).signIn(elm, "dr.lee")
	}
	s.Pass(time.Minute)
	lee.signIn(elm, "dr.lee")
	lee.get(account).wants(t, http.StatusOK, "", "Someone signed in as you with a browser that had not been used before")
	s.browser(t).signIn(elm, "dr.lee")
	fresh := s.browser(t)
	fresh.signIn(elm, "dr.lee")
	fresh.get(account).lacks(t, "Since you last signed in") // a browser without a token
}

// failed records failed attempts to sign in.
func (s *service) failed(t *testing.T, username string, tries int) {
	t.Helper()
	id, err := s.pages.Desk.Staff.StaffByUsername(t.Context(), elm, username)
	must(t, err)
	_, err = s.store.Append(t.Context(), event.Change{
		Stream: event.Stream{Tenant: elm, ID: staff.TriesStream(elm, id, s.Now()).ID}, Expected: s.tries(t, id),
		Events: []event.Event{staff.SignInFailed{Staff: id, Tries: map[staff.How]int{staff.ByPassword: tries}, Sources: []staff.Source{}}},
	})
	must(t, err)
}
