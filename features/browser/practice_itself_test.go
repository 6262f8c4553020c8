package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// typed enters a date or a time into a field, as the browser's own picker does.
func typed(field, value string) chromedp.Action[chromedp.Void] {
	return chromedp.SetValue("#"+field, value)
}

// A manager changes the opening hours, and looks at each page on the way.
func TestBrowserChangesTheOpening_D89(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.page(elm, "opening"))
	b.signIn("dr.may", password)
	b.open(p.page(elm, "opening"))
	b.fits("opening")

	b.open(p.page(elm, "opening/type/medical"))
	b.do(chromedp.Click("#end-at"))
	b.press("Pause")
	b.shows("Enter a date")
	b.titled("Error: Medical requests")
	b.fits("opening-wrong")
	b.do(chromedp.Click("#when-hours"), typed("mon-from-0", "08:00"), typed("mon-until-0", "12:30"), typed("mon-from-1", "14:00"), typed("mon-until-1", "18:30"))
	for _, day := range []string{"tue", "wed", "thu", "fri"} {
		b.do(chromedp.Click("#" + day + "-same"))
	}
	b.press("Change the hours")
	b.titled("Change the hours of medical requests")
	b.shows("They can again from 2:00pm on Wednesday 1 July.")
	b.fits("opening-check")
	b.press("Change the hours of medical requests")
	b.shows("The opening hours have been changed.")

	b.open(p.page(elm, "opening/close"))
	b.do(typed("from-date", "24 12 2026"), typed("from-time", "12.30pm"), chromedp.Click("#end-never"))
	b.fits("opening-close")
	b.press("Continue")
	b.shows("What they would see at 12:30pm on Thursday 24 December")
	b.fits("opening-check-closure")
	b.press("Close the practice")
	b.shows("Until someone opens the practice.")
	b.fits("opening-closures")
	b.open(p.page(elm, "opening/type/medical"))
	b.fits("opening-type")
	b.open(p.page(elm, "opening/reopen"))
	b.fits("opening-reopen")
	b.quietBut("400")
}

// A manager looks at an application, disables it and enables it again.
func TestBrowserDisablesAnApplication_D89(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.page(elm, "applications"))
	b.signIn("dr.may", password)
	b.open(p.page(elm, "applications"))
	b.fits("applications")
	at := "applications/" + p.integrator.ID.String()
	p.call(elm, "dr.lee") // is refused: no one has authorised it
	b.open(p.page(elm, at))
	b.fits("application-enabled")
	b.press("Disable")
	b.shows("Its calls are refused from now on.")
	b.fits("application-disabled")
	if _, refusal := p.call(elm, "dr.lee"); !strings.HasPrefix(refusal, "unauthorized: The app has not been granted access to this tenant") {
		t.Errorf("the call is refused for %s", refusal)
	}
	b.press("Enable")
	b.shows("It can call from now on.")
	b.quiet()
}

// A week is on one screen, and a wrong time stays where it was typed, also without a script.
func TestBrowserShowsTheWeekAtOnce_D156(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.do(chromedp.EmulateViewport(1280, 800))
	b.open(p.page(elm, "opening/type/medical"))
	b.signIn("dr.may", password)
	b.open(p.page(elm, "opening/type/medical"))
	if rows := js[int](b, `[...document.querySelectorAll(".week tbody tr, .week button")].filter(row => row.getBoundingClientRect().bottom <= innerHeight).length`); rows != 8 {
		t.Errorf("%d of 7 days and the button are in view", rows)
	}
	b.look("opening-week")
	b.withoutScript()
	b.open(p.page(elm, "opening/type/medical"))
	b.do(chromedp.Click("#when-hours"), typed("mon-from-0", "8 o'clock"), typed("mon-until-0", "18:30"), chromedp.Click("#tue-same"))
	b.press("Change the hours")
	b.shows("Monday: enter two different times")
	kept := js[string](b, `document.getElementById("mon-from-0").value + document.getElementById("tue-same").checked`)
	if kept != "8 o'clocktrue" {
		t.Errorf("the form has kept %q", kept)
	}
	b.picture("opening-week-wrong")
	b.do(typed("mon-from-0", "8.00"))
	b.press("Change the hours")
	b.press("Change the hours of medical requests")
	b.shows("Tuesday 8:00am to 6:30pm")
}

// A manager sees what waits, and pauses a type of request from there.
func TestBrowserShowsWorkInNumbers_D156(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	b := p.as("dr.may", "overview", chromedp.EmulateViewport(1280, 800))
	b.comes(p.page(elm, "overview"), "Admin requests\t1\t")
	if text := ask(b, chromedp.Text("main")); strings.Contains(text, "Archer") || strings.Contains(text, "Baker") {
		t.Errorf("the page has a patient:\n%s", text)
	}
	b.fits("overview")
	b.loading(chromedp.Click("main .next a"))
	b.do(chromedp.Click("#end-never"))
	b.press("Pause")
	b.press("Pause medical requests")
	b.open(p.page(elm, "overview"))
	b.shows("Paused")
	b.shows("Change the pause")
	b.quiet()
}
