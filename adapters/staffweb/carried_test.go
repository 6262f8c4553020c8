package staffweb_test

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/staffweb/signin/passkeytest"
	"frontdesk/domain/staff"
)

const (
	signIn   = atElm + "sign-in"
	unsaved  = "Nothing has been saved."
	isHere   = "You had been signed out. Nothing has been saved; your text is here."
	typedFor = "She is to ring on Monday."
)

// signsIn fills in the sign-in form of a page, with all that the page carries.
func (b *browser) signsIn(page seen, username string) seen {
	b.t.Helper()
	return b.post(signIn, with(page.form(b.t, signIn), "username", username, "password", password))
}

// notes are a receptionist's browser with the form of a note, which is filled in.
func (d *desks) notes(t *testing.T) (path string, form url.Values) {
	t.Helper()
	page := patientsPage + "/" + d.ann.String()
	path = page + "/notes"
	return path, with(d.reception.get(page).form(t, path), "note", typedFor)
}

// However a session ends: the form's page comes back with what was typed, nothing is
// saved before its member sends it again, and then it is saved once.
func TestTypedTextSurvivesEndOfSession_D151(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, d *desks){
		"idle":     func(_ *testing.T, d *desks) { d.Pass(31 * time.Minute) },
		"12 hours": func(_ *testing.T, d *desks) { d.Pass(12*time.Hour + time.Minute) },
		"ended from elsewhere": func(t *testing.T, d *desks) {
			other := d.signedIn(t, elm, "bob")
			other.post(sessions, with(other.get(account).form(t, sessions), "do", "end-others")).wants(t, http.StatusSeeOther, account+"?done=others", "")
		},
		"signed out in another tab": func(t *testing.T, d *desks) {
			out := atElm + "sign-out"
			d.reception.post(out, d.reception.get(account).form(t, out)).wants(t, http.StatusSeeOther, signIn+"?signed-out", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesks(t)
			path, form := d.notes(t)
			end(t, d)
			before := d.count(t, "care-record.note-created.v1")
			asked := d.reception.post(path, form)
			asked.wants(t, http.StatusForbidden, "", unsaved)
			if strings.Contains(asked.body, typedFor) || strings.Contains(asked.body, d.ann.String()) || asked.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("the sign-in page shows the text or the patient, or is stored:\n%s", asked.body)
			}
			wrong := d.reception.post(signIn, with(asked.form(t, signIn), "username", "bob", "password", "not the password"))
			wrong.wants(t, http.StatusBadRequest, "", unsaved)
			back := d.reception.signsIn(wrong, "bob")
			back.wants(t, http.StatusOK, "", isHere)
			block, _ := back.formFor(t, path, "note")
			if !strings.Contains(block, typedFor) || !strings.Contains(back.body, `data-address="`+path+`"`) {
				t.Errorf("the page lacks the text or its address:\n%s", back.body)
			}
			if now := d.count(t, "care-record.note-created.v1"); now != before {
				t.Errorf("%d notes were saved by themselves", now-before)
			}
			for range 2 {
				d.reception.post(path, with(hiddenIn(block), "note", typedFor)).wants(t, http.StatusSeeOther, strings.TrimSuffix(path, "/notes")+"?done=note", "")
			}
			if now := d.count(t, "care-record.note-created.v1"); now != before+1 {
				t.Errorf("%d notes were saved, want 1", now-before)
			}
		})
	}
}

// Every form with a text, at its longest in emoji, which take most room.
func TestEveryFormComesBackFilled_D151(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	for _, f := range d.forms() {
		who := map[*browser]string{d.reception: "bob", d.manager: "dr.may", d.officer: "po.ann"}[f.by]
		f.by.signIn(elm, who)
		page := f.by.get(f.page)
		if f.field == "text" && strings.HasSuffix(f.page, "/patient") {
			page = f.by.post(f.action, with(page.form(t, f.action), "do", "find", "find", "Cy"))
		}
		block, name := page.formFor(t, f.action, f.field)
		if _, first, _ := strings.Cut(block, ` name="`); !strings.HasPrefix(first, `token"`) {
			t.Errorf("%s: the token is not the first field, so a long form would be cut", f.name)
		}
		text := textOf("emoji", f.most)
		form := with(with(hiddenIn(block), f.others...), name, text)
		d.Pass(31 * time.Minute)
		before := d.changed(t)
		asked := f.by.post(f.action, form)
		if asked.wants(t, http.StatusForbidden, "", unsaved); d.changed(t) != before {
			t.Errorf("%s: something was saved", f.name)
		}
		back := f.by.signsIn(asked, who)
		if back.StatusCode != http.StatusOK || !strings.Contains(back.body, isHere) {
			t.Fatalf("%s: %s\n%.3000s", f.name, back.Status, back.body)
		}
		again, _ := back.formFor(t, f.action, f.field)
		if !strings.Contains(again, text) {
			t.Errorf("%s: what was typed is not in the form:\n%.3000s", f.name, back.body)
		}
		sent := f.by.post(f.action, with(with(hiddenIn(again), f.others...), name, text))
		if sent.StatusCode >= http.StatusBadRequest || strings.Contains(sent.body, "There is a problem") {
			t.Errorf("%s: the form that came back is refused: %s\n%.3000s", f.name, sent.Status, sent.body)
		}
	}
}

// What a page carries is for one member of one practice, for a day, and cannot be changed.
// Another member who has it signs in without it.
func TestCarriedFormIsItsMembersAlone_D151(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	path, form := d.notes(t)
	d.Pass(31 * time.Minute)
	asked := d.reception.post(path, form)
	carried := asked.form(t, signIn)
	typed := []byte(carried.Get("typed"))
	typed[len(typed)/2] ^= 1
	for name, c := range map[string]struct{ typed, username, tenant string }{
		"another member":            {carried.Get("typed"), "kim", elm},
		"a former form's member":    {carried.Get("typed"), "dr.lee", elm},
		"their namesake elsewhere":  {carried.Get("typed"), "dr.lee", oak},
		"an altered form":           {string(typed), "bob", elm},
		"the token in place of it":  {carried.Get("whose"), "bob", elm},
		"text that is not sealed":   {`{"Address":"/elm-street/staff/patients"}`, "bob", elm},
		"a form that is cut":        {carried.Get("typed")[:40], "bob", elm},
		"nothing":                   {"", "bob", elm},
		"a form with another's too": {carried.Get("typed") + carried.Get("typed"), "bob", elm},
	} {
		b := d.browser(t)
		answer := b.post("/"+c.tenant+"/staff/sign-in", with(carried, "typed", c.typed, "username", c.username, "password", password))
		if answer.StatusCode != http.StatusSeeOther || answer.Header.Get("Location") != "/"+c.tenant+"/staff" || strings.Contains(answer.body, typedFor) {
			t.Errorf("%s: %s to %q\n%s", name, answer.Status, answer.Header.Get("Location"), answer.body)
		}
	}
	d.Pass(24 * time.Hour)
	d.reception.signsIn(asked, "bob").wants(t, http.StatusSeeOther, home, "")
}

// The page is shown with the rights that its member has now.
func TestCarriedFormGivesNoAccess_D151(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	path, form := d.notes(t)
	d.Pass(31 * time.Minute)
	asked := d.reception.post(path, form)
	d.has(t, elm, "bob")
	answer := d.reception.signsIn(asked, "bob")
	if answer.wants(t, http.StatusForbidden, "", "You cannot use this page"); strings.Contains(answer.body, typedFor) {
		t.Error("the text is shown")
	}
}

// A form of one member that is sent in the session of another shows nothing of it.
func TestFormInAnothersSessionShowsNothing_D151(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	path, form := d.notes(t)
	d.reception.signIn(elm, "kim")
	answer := d.reception.post(path, form)
	if answer.wants(t, http.StatusForbidden, "", "A colleague opened the page"); strings.Contains(answer.body, typedFor) {
		t.Error("the text is shown")
	}
}

// Passwords, forms that are too long and forms without a page are not carried. The
// sign-in page says that nothing has been saved.
func TestSomeFormsAreNotCarried_D151(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	path, form := d.notes(t)
	secret := with(d.reception.get(change).form(t, change), "present", password, "password", better)
	ends := d.reception.get(account).form(t, atElm+"sign-out")
	d.Pass(31 * time.Minute)
	for name, answer := range map[string]seen{
		"a password":      d.reception.post(change, secret),
		"no page":         d.reception.post(sessions, ends),
		"too long a form": d.reception.post(path, with(form, "note", strings.Repeat("x", 1<<18))),
	} {
		if strings.Contains(answer.body, `name="typed"`) {
			t.Errorf("%s is carried", name)
		}
	}
	answer := d.reception.post(change, secret)
	answer.wants(t, http.StatusSeeOther, signIn+"?unsaved", "")
	d.reception.get(answer.Header.Get("Location")).wants(t, http.StatusOK, "", unsaved)
	d.browser(t).post(path, url.Values{"note": {typedFor}}).wants(t, http.StatusSeeOther, signIn, "")
	d.browser(t).post(path, url.Values{"note": {typedFor}, "token": {strings.Repeat("A", 43) + "." + strings.Repeat("A", 43)}}).wants(t, http.StatusSeeOther, signIn, "")
}

func TestPasskeysCarryWhatWasTyped_D151(t *testing.T) {
	t.Parallel()
	for name, signs := range map[string]func(d *desks, b *browser, asked seen, sign func(string) string) seen{
		"alone": func(_ *desks, b *browser, asked seen, sign func(string) string) seen {
			return b.post(signIn+"/passkey", with(asked.form(t, signIn+"/passkey"), "signed", sign("sign-in")))
		},
		"after the password": func(_ *desks, b *browser, asked seen, sign func(string) string) seen {
			second := b.signsIn(asked, "dr.lee")
			second.wants(t, http.StatusOK, "", "you cannot sign in with your password alone")
			wrong := b.post(signIn+"/second", with(second.form(t, signIn+"/second"), "signed", "{}"))
			return b.post(signIn+"/second", with(wrong.form(t, signIn+"/second"), "signed", sign("second")))
		},
		"after a step that has ended": func(d *desks, b *browser, asked seen, sign func(string) string) seen {
			second := b.signsIn(asked, "dr.lee")
			d.Pass(6 * time.Minute)
			again := b.post(signIn+"/second", with(second.form(t, signIn+"/second"), "signed", "{}"))
			again.wants(t, http.StatusForbidden, "", unsaved)
			return b.post(signIn+"/passkey", with(again.form(t, signIn+"/passkey"), "signed", sign("sign-in")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesks(t)
			d.has(t, elm, "dr.lee", staff.Clinician)
			page, b := patientsPage+"/"+d.ann.String(), d.browser(t)
			b.host = "localhost:8080"
			key := passkeytest.New(t, "localhost", "http://localhost:8080")
			b.signIn(elm, "dr.lee")
			b.adds(key)
			form := with(b.get(page).form(t, page+"/notes"), "note", typedFor)
			d.Pass(31 * time.Minute)
			back := signs(d, b, b.post(page+"/notes", form), func(purpose string) string { return key.Sign(t, b.asked(purpose, "")) })
			back.wants(t, http.StatusOK, "", isHere)
			if block, _ := back.formFor(t, page+"/notes", "note"); !strings.Contains(block, typedFor) {
				t.Errorf("the text is not there:\n%s", back.body)
			}
		})
	}
}

// A filled form that needs a proof of identity comes back filled.
func TestConfirmingKeepsWhatWasTyped_D151(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	invited := with(d.manager.get(people+"?invite").actionForm(t, "invite", "receptionist"), "name", "Sam Steel", "username", "sam", "email", "sam@elm.example")
	added := with(d.manager.get(atElm+"displays?add").form(t, atElm+"displays"), "do", "add", "name", "By the stairs", "naming", "number", "site", d.site.String())
	searched := with(d.officer.get(privacyPage).form(t, privacyPage), "name", "Ann Ar")
	for _, c := range []struct {
		by                 *browser
		path, then, button string
		form               url.Values
		values             []string
	}{
		{d.manager, people, "people?invite", "invite", invited, []string{"Sam Steel", "sam", "sam@elm.example"}},
		{d.manager, atElm + "displays", "displays?add", "add", added, []string{"By the stairs"}},
		{d.officer, privacyPage, "privacy", "", searched, []string{"Ann Ar"}},
	} {
		d.Pass(16 * time.Minute)
		d.manager.get(account)
		d.officer.get(account)
		before := d.changed(t)
		asked := c.by.post(c.path, c.form)
		asked.wants(t, http.StatusForbidden, "", "Your text is kept in this page")
		confirm := asked.form(t, atElm+"confirm")
		wrong := c.by.post(atElm+"confirm", with(confirm, "password", "not the password"))
		wrong.wants(t, http.StatusBadRequest, "", "Incorrect password")
		if now := d.changed(t); now != before {
			t.Errorf("%s: something was changed", c.then)
		}
		back := c.by.post(atElm+"confirm", with(wrong.form(t, atElm+"confirm"), "password", password))
		back.wants(t, http.StatusOK, "", "You have confirmed that it is you. Nothing has been saved yet")
		for _, value := range append(c.values, `data-address="`+html.EscapeString(atElm+c.then)+`"`) {
			if !strings.Contains(back.body, value) {
				t.Errorf("%s: the page lacks %s:\n%s", c.then, value, back.body)
			}
		}
		if c.button == "" {
			continue
		}
		again := c.form
		maps.Copy(again, back.form(t, c.path))
		c.by.post(c.path, with(again, "do", c.button)).wants(t, http.StatusOK, "", "link")
	}
}

// A hidden page sends its form only to see it again: it does nothing, even in a session
// that still lasts.
func TestHiddenPageOnlyComesBack_D151(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	path, form := d.notes(t)
	before := d.count(t, "care-record.note-created.v1")
	back := d.reception.post(path, with(form, "again", ""))
	back.wants(t, http.StatusOK, "", isHere)
	if block, _ := back.formFor(t, path, "note"); !strings.Contains(block, typedFor) || d.count(t, "care-record.note-created.v1") != before {
		t.Errorf("the text is not there, or it is saved:\n%s", back.body)
	}
}

// Details that a colleague has changed meanwhile are named beside the typed ones.
func TestDetailsComeBackBesideTheChange_D151(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	at := patientsPage + "/" + d.ann.String() + "/details"
	form := with(d.reception.get(at).form(t, at), "name", "Ann Archer-Bell", "born", "")
	d.Pass(31 * time.Minute)
	kim := d.signedIn(t, elm, "kim")
	kim.post(at, with(kim.get(at).form(t, at), "name", "Ann Baker", "born", "")).wants(t, http.StatusSeeOther, strings.TrimSuffix(at, "/details")+"?done=details", "")
	d.drain(t)
	back := d.reception.signsIn(d.reception.post(at, form), "bob")
	back.wants(t, http.StatusOK, "", "The details are now Ann Baker")
	back.wants(t, http.StatusOK, "", `value="Ann Archer-Bell"`)
}
