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
	b.do(chromedp.Click("#when-hours"))
	for _, day := range []string{"mon", "tue", "wed", "thu", "fri"} {
		b.do(typed(day+"-from-0", "08:00"), typed(day+"-until-0", "12:30"), typed(day+"-from-1", "14:00"), typed(day+"-until-1", "18:30"))
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
	b.shows("Until somebody opens the practice.")
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
