//go:build prove

package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
)

func TestProvePasswordByKeyboard_D67(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.page(elm, "account"))
	b.signIn("dr.lee", password)
	b.open(p.page(elm, "account/password"))
	b.do(chromedp.KeyEvent(kb.Tab+kb.Enter), chromedp.KeyEvent(kb.Tab+password+kb.Tab+better))
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.titled("Your account")
	b.shows("Your password has been changed.")
	provetest.Tried(t, b.pages, "pages")
}

func TestProveDayByKeyboardNoScript_D86(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	at, err := p.Desk.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Elm House"})
	testworld.Must(t, err)
	p.expected("Ann Archer", at, 0)
	b.withoutScript()
	b.open(p.page(elm, "day"))
	b.signIn("dr.lee", password)
	b.open(p.page(elm, "day"))
	b.do(chromedp.KeyEvent(kb.Tab + kb.Enter)) // skip the header
	for range 30 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if js[bool](b, `document.activeElement.value == "arrived"`) {
			break
		}
	}
	b.focuses("Arrived\n: Ann Archer, 1:00pm")
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.shows("The patient is marked as arrived.")
	b.do(chromedp.KeyEvent(kb.Tab)) // from where the address leads
	b.focuses("Ann Archer\n, 1:00pm")
	b.do(chromedp.KeyEvent(kb.Tab))
	b.focuses("Call in\n: Ann Archer, 1:00pm")
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.shows("The patient is called in.")
	b.press("Cancel call-in: Ann Archer")
	b.shows("Call-in cancelled.")
	b.quiet()
	provetest.Tried(t, b.pages, "pages")
}

// Only with the keyboard: search, go to the patient, and write a note.
func TestProvePatientByKeyboard_D85(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	p.receive()
	testworld.Must(t, p.Drain(t.Context()))
	b.open(p.page(elm, "patients"))
	b.signIn("rose", password)
	b.open(p.page(elm, "patients"))
	b.tabTo(`document.activeElement.id == "name"`)
	b.loading(chromedp.KeyEvent("ann arch" + kb.Enter))
	b.shows("1 patient found")
	b.tabTo(`document.activeElement.textContent == "Ann Archer"`)
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.titled("Patient record")
	b.tabTo(`document.activeElement.id == "note"`)
	b.do(chromedp.KeyEvent("Prefers mornings."))
	b.tabTo(`document.activeElement.textContent == "Add note"`)
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.shows("The note has been added to the record.")
	b.quiet()
	provetest.Tried(t, b.pages, "pages")
}

// tabTo presses Tab until a condition holds for the focused element.
func (b *tab) tabTo(holds string) {
	b.t.Helper()
	for range 60 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if js[bool](b, holds) {
			return
		}
	}
	b.t.Fatalf("no tabulator leads to where %s", holds)
}

// Only with the keyboard, a manager pauses requests. The pages have no script that
// could help: that of the session asks for its end.
func TestProvePauseByKeyboard_D89(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.page(elm, "opening"))
	b.signIn("dr.may", password)
	b.open(p.page(elm, "opening/type/admin"))
	if scripts := js[int](b, `[...document.scripts].filter(s => !s.src.includes("/session.js")).length`); scripts > 0 {
		t.Errorf("the page has %d scripts", scripts)
	}
	b.tabsTo("end-at")
	b.do(chromedp.KeyEvent(" "))
	b.tabsTo("until-date")
	b.do(chromedp.KeyEvent("8 8 2026"))
	b.tabsTo("until-time")
	b.do(chromedp.KeyEvent("8.30am"))
	b.tabsTo("pause")
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.titled("Pause admin requests")
	b.shows("They can again from 8:30am on Saturday 8 August.")
	b.tabsTo("sure")
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.shows("The requests have been paused.")
	b.quiet()
	provetest.Tried(t, b.pages, "pages")
}

// tabsTo presses Tab until an element has the focus.
func (b *tab) tabsTo(id string) {
	b.t.Helper()
	for range 120 {
		if js[string](b, `document.activeElement.id`) == id {
			return
		}
		b.do(chromedp.KeyEvent(kb.Tab))
	}
	b.t.Fatalf("Tab never reaches %s", id)
}

// The pages are used only with the keyboard, and ask for the password again after 15
// minutes.
func TestProvePrivacyByKeyboard_D90(t *testing.T) {
	t.Parallel()
	p, zoe := guarded(t)
	b := newTab(t)
	b.open(p.page(elm, "privacy"))
	b.signIn("po.ann", password)
	b.do(chromedp.KeyEvent(kb.Tab + kb.Enter + kb.Tab + kb.Tab)) // skip the header, and the link to add a passkey
	b.focuses("Zoë Quill <b>")
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.titled("Data of a patient")
	p.Clock.Pass(16 * time.Minute)
	b.open(p.page(elm, "privacy/patients/"+zoe.String()))
	if at := b.at(); at.Path != "/elm-street/staff/confirm" {
		t.Errorf("after 16 minutes the browser is at %s", at)
	}
	b.do(chromedp.SetValue("#password", password))
	b.do(chromedp.Focus("#password"))
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.titled("Data of a patient")
	b.quiet()
	provetest.Tried(t, b.pages, "pages")
}

func TestProveInviteByKeyboard_D67(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(named(p.page(elm, "sign-in")))
	b.signIn("dr.may", password)
	b.open(named(p.page(elm, "people?invite")))
	b.do(chromedp.KeyEvent(kb.Tab + kb.Enter + kb.Tab + kb.Tab)) // skip the header, and the link to add a passkey
	b.focuses("Back to Staff")
	b.do(chromedp.KeyEvent(kb.Tab + "Kim Archer" + kb.Tab + "kim" + kb.Tab + "kim@elm.example" + kb.Tab + " " + kb.Tab + kb.Tab + kb.Tab + kb.Tab))
	b.focuses("Invite")
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.titled("Give this link to Kim Archer")
	b.about(p, "Kim Archer")
	b.shows("receptionist")
	provetest.Tried(t, b.pages, "pages")
}
