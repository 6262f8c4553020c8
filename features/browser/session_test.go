package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/cmd/frontdesk/testworld"
)

const (
	halfANote = "Seen with her daughter. To ring on Monday."
	signedOut = `document.title == "You have been signed out"`
	isHere    = "You had been signed out. Nothing has been saved; your text is here."
)

// startNote is Bob's browser with half a note on Ann's record.
func startNote(t *testing.T, steps ...chromedp.Action[chromedp.Void]) (*inbox, *tab) {
	t.Helper()
	p := startInbox(t)
	b := p.as("bob", "patients/"+p.ann.String(), steps...)
	b.do(chromedp.SendKeys("#note", halfANote))
	return p, b
}

// note is what the field of the note holds.
func (b *tab) note() string {
	b.t.Helper()
	return js[string](b, `document.querySelector("#note").value`)
}

// becomes waits until an expression is true in the page, which may load itself again.
func (b *tab) becomes(expression string) {
	b.t.Helper()
	clocktest.Eventually(b.t, func() bool {
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		return err == nil && is
	}, "%s", expression)
}

// looksAgain has the page learn of the service's clock, as when somebody looks at it again.
func (b *tab) looksAgain() {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`dispatchEvent(new Event("focus"))`))
}

// saysUse has the page tell the service at once that something was typed.
func (b *tab) saysUse() {
	b.t.Helper()
	used := `performance.getEntriesByType("resource").filter(({ name }) => /\/session$/.test(name)).length`
	before := js[int](b, used)
	b.looksAgain()
	b.becomes(fmt.Sprintf("%s > %d", used, before))
}

// A note is typed across the end of a session, however it ends: it is there after signing
// in, and saved only when it is sent again.
func TestBrowserKeepsANoteOverTheEnd_D151(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(p *inbox){
		"idle":     func(p *inbox) { p.Clock.Pass(31 * time.Minute) },
		"12 hours": func(p *inbox) { p.Clock.Pass(12*time.Hour + time.Minute) },
		"end all others": func(p *inbox) {
			other := p.as("bob", "account")
			other.press("Sign out everywhere else")
			other.shows("All your other sessions have ended.")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, b := startNote(t)
			end(p)
			b.press("Add note")
			b.titled("Sign in")
			b.shows("Nothing has been saved.")
			b.look("session-sign-in-" + name)
			b.signIn("bob", "not the password")
			b.shows("Nothing has been saved.")
			b.signIn("bob", password)
			b.shows(isHere)
			if note := b.note(); note != halfANote {
				t.Errorf("the note is %q", note)
			}
			if at, want := b.at().Path, "/"+elm+"/staff/patients/"+p.ann.String()+"/notes"; at != want {
				t.Errorf("the address is %s, want %s", at, want)
			}
			b.look("session-back-" + name)
			var saved int
			testworld.Must(t, p.DB.Pool(t).QueryRow(t.Context(), `SELECT count(*) FROM events WHERE name = 'care-record.note-created.v1'`).Scan(&saved))
			if saved != 0 {
				t.Errorf("%d notes were saved by themselves", saved)
			}
			b.press("Add note")
			b.shows("The note has been added to the record.")
			b.quietBut("403", "400")
		})
	}
}

func TestBrowserKeepsANoteWithoutScript_D151(t *testing.T) {
	t.Parallel()
	p, b := startNote(t)
	b.withoutScript()
	p.Clock.Pass(31 * time.Minute)
	b.press("Add note")
	b.shows("Nothing has been saved.")
	b.signIn("bob", password)
	b.shows(isHere)
	b.press("Add note")
	b.shows("The note has been added to the record.")
}

func TestBrowserKeepsANoteByPasskey_D151(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	b := newTab(t)
	b.authenticator()
	b.open(named(p.page(elm, "sign-in")))
	b.signIn("bob", password)
	b.addPasskey(p.program, "My phone")
	b.open(named(p.page(elm, "patients/"+p.ann.String())))
	b.do(chromedp.SendKeys("#note", halfANote))
	p.Clock.Pass(31 * time.Minute)
	b.press("Add note")
	b.press("Use a passkey")
	b.shows(isHere)
	if note := b.note(); note != halfANote {
		t.Errorf("the note is %q", note)
	}
	p.Clock.Pass(31 * time.Minute)
	b.press("Add note")
	b.signIn("bob", password)
	b.titled("Use your passkey")
	b.press("Use your passkey")
	b.shows(isHere)
	if note := b.note(); note != halfANote {
		t.Errorf("after the password, the note is %q", note)
	}
}

// Somebody else who signs in sees nothing of it.
func TestBrowserKeepsANoteFromOthers_D151(t *testing.T) {
	t.Parallel()
	p, b := startNote(t)
	p.Clock.Pass(31 * time.Minute)
	b.press("Add note")
	b.signIn("dr.lee", password)
	if html := js[string](b, `document.documentElement.outerHTML`); b.at().Path != "/"+elm+"/staff/requests" || strings.Contains(html, halfANote) || strings.Contains(html, p.ann.String()) {
		t.Errorf("Dr Lee is at %s and sees\n%s", b.at(), html)
	}
}

// A filled form that needs a proof of identity comes back filled.
func TestBrowserKeepsAnInvitation_D151(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.page(elm, "sign-in"))
	b.signIn("dr.may", password)
	b.open(p.page(elm, "people?invite"))
	b.do(chromedp.SetValue("#name", "Kim Archer"), chromedp.SetValue("#username", "kim"), chromedp.SetValue("#email", "kim@elm.example"), chromedp.Click("#role-receptionist"))
	p.Clock.Pass(16 * time.Minute)
	b.press("Invite")
	b.titled("Confirm that it is you")
	b.look("session-confirm")
	b.do(chromedp.SetValue("#password", password))
	b.press("Confirm")
	b.shows("You have confirmed that it is you.")
	if got := js[string](b, `["name", "username", "email"].map((id) => document.getElementById(id).value).join() + document.querySelector("#role-receptionist").checked`); got != "Kim Archer,kim,kim@elm.exampletrue" {
		t.Errorf("the form holds %s", got)
	}
	if at := b.at(); at.Path != "/"+elm+"/staff/people" || at.RawQuery != "invite" {
		t.Errorf("the address is %s", at)
	}
	b.look("session-confirmed")
	b.press("Invite")
	b.titled("Give this link to Kim Archer")
}

// Two minutes before its end a session's pages say so, and one press keeps it, in every
// tab. The end after twelve hours cannot be postponed.
func TestBrowserWarnsBeforeTheEnd_D151(t *testing.T) {
	t.Parallel()
	p, b := startNote(t)
	second := b.sibling()
	second.open(p.page(elm, "account"))
	const warned, calm = `document.querySelector(".ending[role=alert] button")`, `!document.querySelector(".ending")`
	b.saysUse()
	p.Clock.Pass(27 * time.Minute)
	b.looksAgain()
	b.becomes(calm)
	p.Clock.Pass(time.Minute + 30*time.Second)
	for _, tab := range []*tab{b, second} {
		tab.looksAgain()
		tab.becomes(warned)
		tab.shows("You will be signed out in less than two minutes.")
	}
	b.look("session-warning")
	b.fits("session-warning")
	b.do(chromedp.Click(button("Stay signed in")))
	b.becomes(calm)
	second.becomes(calm) // by itself, within 5 seconds
	p.Clock.Pass(27 * time.Minute)
	b.press("Add note")
	b.shows("The note has been added to the record.")

	for range 24 {
		p.Clock.Pass(27 * time.Minute)
		b.open(p.page(elm, "account"))
	}
	p.Clock.Pass(15 * time.Minute) // 11 hours 58 and a half minutes in all
	b.open(p.page(elm, "account"))
	b.becomes(`document.querySelector(".ending")`)
	b.shows("so you cannot stay signed in")
	if js[bool](b, `!!`+warned) {
		t.Error("the end after 12 hours can be put off")
	}
	b.look("session-warning-limit")
}

// Typing is use of the page: a long note does not end its own session.
func TestBrowserCountsTypingAsUse_D151(t *testing.T) {
	t.Parallel()
	p, b := startNote(t)
	b.saysUse()
	p.Clock.Pass(29 * time.Minute)
	b.looksAgain()
	b.becomes(`document.querySelector(".ending")`)
	b.do(chromedp.SendKeys("#note", " More."))
	b.looksAgain()                                  // as after another window
	b.becomes(`!document.querySelector(".ending")`) // without a press
	p.Clock.Pass(29 * time.Minute)
	b.press("Add note")
	b.shows("The note has been added to the record.")
}

// A page whose session has ended shows nothing of a patient. What was typed is kept, and
// comes back. A page without typed text is emptied.
func TestBrowserHidesAPageThatHasEnded_D151(t *testing.T) {
	t.Parallel()
	p, b := startNote(t)
	second := b.sibling()
	second.open(p.page(elm, "requests"))
	p.Clock.Pass(31 * time.Minute)
	for _, tab := range []*tab{b, second} {
		tab.looksAgain()
		tab.becomes(signedOut)
		if html := js[string](tab, `document.documentElement.outerHTML`); strings.Contains(html, "Archer") || strings.Contains(html, halfANote) {
			t.Errorf("the page still holds\n%s", html)
		}
		tab.look("session-hidden")
		tab.fits("session-hidden")
	}
	b.press("Sign in, and see your text")
	b.titled("Sign in")
	b.shows("Nothing has been saved.")
	b.signIn("bob", password)
	b.shows(isHere)
	if note := b.note(); note != halfANote {
		t.Errorf("the note is %q", note)
	}
	second.looksAgain()
	second.becomes(`document.title.startsWith("Requests")`) // it loads itself again
}

// A member who has signed in on another page finds a hidden one as it was. A sign-out hides the
// other pages, too.
func TestBrowserShowsAHiddenPageAgain_D151(t *testing.T) {
	t.Parallel()
	p, b := startNote(t)
	second := b.sibling()
	second.open(p.page(elm, "account"))
	second.press("Sign out")
	b.looksAgain()
	b.becomes(signedOut)
	second.signIn("dr.lee", password)
	b.looksAgain()
	b.becomes(signedOut)
	second.open(p.page(elm, "account"))
	second.press("Sign out")
	second.signIn("bob", password)
	b.looksAgain()
	b.becomes(`document.title.startsWith("Patient record")`)
	if note := b.note(); note != halfANote {
		t.Errorf("the note is %q", note)
	}
	b.press("Add note")
	b.shows("What you typed is still here")
	b.press("Add note")
	b.shows("The note has been added to the record.")
}
