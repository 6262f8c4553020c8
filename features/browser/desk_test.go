package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"frontdesk/cmd/frontdesk/testworld"
)

// A request that is open says at once that a colleague looks at it, and what is typed stays.
func TestBrowserSaysWhoIsLooking_D156(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	bob := p.as("bob", "requests/"+p.rash.String())
	bob.do(chromedp.SendKeys("#text", "Half a note"))
	p.as("dr.lee", "requests/"+p.rash.String())
	bob.becomes(`document.querySelector(".viewers").innerText === "Dr Lee is looking at this, since 1:00pm."`)
	if kept := js[string](bob, `document.querySelector("#text").value`); kept != "Half a note" {
		t.Errorf("what was typed is now %q", kept)
	}
	bob.look("request-viewers")
	bob.quiet()
}

// A manager writes a template, and a receptionist inserts it with a script and without one.
func TestBrowserInsertsNoteTemplates_D156(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	may := p.as("dr.may", "note-templates")
	may.do(chromedp.SetValue("#name", "Rang"), chromedp.SetValue("#text-new", "Rang, no answer."))
	may.press("Add the template")
	may.shows("The template has been saved.")
	may.fits("note-templates")
	b := p.as("bob", "requests/"+p.rash.String())
	b.do(chromedp.SendKeys("#text", "She worries. "), chromedp.SetValue("#template", "Rang"), chromedp.Click(`button[value="insert"]`))
	b.becomes(`document.querySelector("#text").value === "She worries. Rang, no answer."`)
	b.look("request-template")
	b.withoutScript()
	b.open(p.page(elm, "requests/"+p.rash.String()))
	b.do(chromedp.SendKeys("#text", "She worries."), chromedp.SetValue("#template", "Rang"))
	b.press("Insert")
	if note := js[string](b, `document.querySelector("#text").value`); note != "She worries.\nRang, no answer." {
		t.Errorf("the note is %q", note)
	}
	b.press("Save the note")
	b.shows("Your note has been added.")
	b.quiet()
}

// A member of staff saves a filter, and comes back to it by a link.
func TestBrowserSavesAFilter_D156(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	b := p.as("bob", "requests?type=medical&urgent=yes")
	b.press("Save this filter")
	b.shows("New, medical, urgent only")
	b.open(p.page(elm, "requests"))
	b.look("requests-saved-filter")
	b.loading(chromedp.Click(`//a[contains(., "New, medical, urgent only")]`))
	if query := b.at().RawQuery; query != "tab=new&type=medical&urgent=yes" {
		t.Errorf("the link leads to %q", query)
	}
	b.press("Remove this filter")
	if text := ask(b, chromedp.Text("main")); strings.Contains(text, "New, medical") {
		t.Errorf("the filter is still there:\n%s", text)
	}
	b.quiet()
}

// Shortcuts do nothing until they are switched on, and nothing in a field.
func TestBrowserFollowsShortcuts_D156(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	b := p.as("bob", "requests")
	b.comes(p.page(elm, "requests"), "Bill Baker")
	b.keys("j")
	if at := js[string](b, `document.activeElement.tagName`); at != "BODY" {
		t.Errorf("a shortcut that is not switched on has moved the focus to %s", at)
	}
	b.open(p.page(elm, "account"))
	b.press("Switch on shortcuts")
	b.shows("Keyboard shortcuts are on in this browser.")
	b.look("account-shortcuts")
	b.open(p.page(elm, "requests"))
	b.keys("j")
	b.becomes(`document.activeElement.innerText.startsWith("Ann Archer")`)
	b.keys("j")
	b.becomes(`document.activeElement.innerText.startsWith("Bill Baker")`)
	b.keys("k")
	b.becomes(`document.activeElement.innerText.startsWith("Ann Archer")`)
	b.keys("?")
	b.becomes(`document.querySelector("dialog[open]")`)
	b.look("shortcuts")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.becomes(`!document.querySelector("dialog[open]")`)
	b.keys("/jack/?")
	if typed := js[string](b, `document.querySelector("#seek").value`); typed != "jack/?" {
		t.Errorf("the search has %q", typed)
	}
	b.open(p.page(elm, "requests"))
	b.keys("j")
	b.becomes(`document.activeElement.innerText.startsWith("Ann Archer")`)
	b.keys("t")
	b.becomes(`document.readyState === "complete" && document.body.innerText.includes("Request assigned to you.")`)
	b.keys("nnot now, just typing")
	if typed := js[string](b, `document.querySelector("#text").value`); typed != "not now, just typing" {
		t.Errorf("the note has %q", typed)
	}
	b.quiet()
}

// keys presses keys one after another. A page can keep a key from typing, as with a real keyboard.
func (b *tab) keys(text string) {
	b.t.Helper()
	for key := range strings.SplitSeq(text, "") {
		for _, kind := range []input.DispatchKeyEventType{"keyDown", "keyUp"} {
			event := input.DispatchKeyEventParams{Type: kind, Key: key}
			if kind == "keyDown" {
				event.Text = key
			}
			_, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, event)
			testworld.Must(b.t, err)
		}
	}
}

// In high contrast only the current tab is underlined.
func TestBrowserMarksOneTabInContrast_D156(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	b := p.as("bob", "requests")
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}})
	testworld.Must(t, err)
	b.open(p.page(elm, "requests"))
	marked := js[[]string](b, `[...document.querySelectorAll(".tabs a")].filter(tab => getComputedStyle(tab).borderBottomColor !== getComputedStyle(document.body).backgroundColor).map(tab => tab.innerText)`)
	if len(marked) != 1 || !strings.HasPrefix(marked[0], "New") {
		t.Errorf("%q are underlined", marked)
	}
	b.look("requests-contrast")
}

// The titles of pages, which browsers keep, do not name patients, and tell two requests apart.
func TestBrowserTitlesHaveNoNames_D156(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	b := p.as("bob", "requests/"+p.rash.String())
	b.titled("Request: medical, 1:00pm")
	b.open(p.page(elm, "patients/"+p.ann.String()))
	b.titled("Patient record")
	b.open(p.page(elm, "patients/"+p.ann.String()+"/timeline"))
	b.titled("Log of a patient")
	b.quiet()
}

// A member of staff reads what is recorded about them.
func TestBrowserShowsOwnRecord_D156(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	b := p.as("bob", "requests/"+p.rash.String())
	b.comes(p.page(elm, "account/record"), "Signed in by password")
	b.fits("own-record")
	b.comes(p.page(elm, "account/record?show=openings"), "You looked at a request, or a file of it")
	b.open(p.page(elm, "requests"))
	b.comes(p.page(elm, "account/record?show=lists"), " on the page of requests")
	if text := ask(b, chromedp.Text("main")); strings.Contains(text, "Archer") {
		t.Errorf("the page names a patient:\n%s", text)
	}
	b.quiet()
}
