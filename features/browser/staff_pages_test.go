package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

func TestBrowserApprovesAndRevokes_5_4(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	p.mayNotCall(elm)

	b.open(p.ask(elm, p.callback+"?state=x%2Fy"))
	b.titled("Sign in")
	b.shows("An application has sent you here.")
	b.look("sign-in")
	b.signIn("dr.lee", password)
	b.titled("Let Triage Helper act for you? – Elm Street Surgery")
	for _, text := range []string{"Dr Lee", "for 12 hours", "send patient requests", "look at patients’ care records", "127.0.0.1:"} {
		b.shows(text)
	}
	b.look("authorise")
	b.press("Approve")
	if got, want := b.at().String(), p.callback+"?state=x%2Fy&username=dr.lee&expiresAt=2026-07-02T00%3A00%3A00Z"; got != want {
		t.Errorf("came back to %s, want %s", got, want)
	}
	p.mayCall(elm)
	p.mayNotCall(oak)

	b.open(p.page(elm, "authorisations"))
	b.titled("Apps that can act for you")
	b.shows("Until 1:00am on Thursday 2 July.")
	b.look("authorisations")
	b.press("Stop Triage Helper")
	b.shows("The authorisation has been stopped")
	b.look("authorisations-stopped")
	p.mayNotCall(elm)

	b.press("Sign out")
	b.shows("You have signed out")
	b.look("signed-out")
	b.open(p.page(elm, "authorisations"))
	b.titled("Sign in")
	b.quiet()
}

func TestBrowserDeclines_D25(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.ask(elm, p.callback+"?state=1"))
	b.signIn("dr.lee", password)
	b.press("Decline")
	if got, want := b.at().String(), p.callback+"?state=1&error=access_denied"; got != want {
		t.Errorf("came back to %s, want %s", got, want)
	}
	p.mayNotCall(elm)
	b.quiet()
}

func TestBrowserLocksOutAndLetsInAgain_D27(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.ask(elm, p.callback))
	b.press("Sign in")
	b.shows("Enter your username")
	b.look("sign-in-empty")
	for range 4 {
		b.signIn("dr.lee", "not the password")
	}
	b.titled("Error: Sign in")
	b.shows("Incorrect username or password")
	if focused := js[string](b, `document.activeElement.className`); focused != "summary" {
		t.Errorf("focus is on %q, want the summary of what is wrong", focused)
	}
	b.look("sign-in-wrong")
	b.signIn("dr.lee", "not the password")
	b.shows("you can try again in 1 minute.")
	b.look("sign-in-locked")
	b.signIn("dr.lee", password)
	b.shows("you can try again in 1 minute.")
	p.Clock.Pass(time.Minute)
	b.signIn("dr.lee", password)
	b.titled("Let Triage Helper act for you?")
}

func TestBrowserApprovesAgainAfterExpiry_D13(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.ask(elm, p.callback))
	b.signIn("dr.lee", password)
	b.press("Approve")
	p.mayCall(elm)
	p.Clock.Pass(12*time.Hour - time.Second)
	p.mayCall(elm)
	p.Clock.Pass(time.Second)
	p.mayNotCall(elm)

	b.open(p.ask(elm, p.callback))
	b.titled("Sign in") // the session has also ended
	b.signIn("dr.lee", password)
	b.press("Approve")
	p.mayCall(elm)
	b.open(p.ask(elm, p.callback))
	b.shows("You have let it do so already, until 1:00pm on Thursday 2 July.")
	b.look("authorise-again")
}

func TestBrowserOpensACustomScheme_D26(t *testing.T) {
	t.Parallel()
	p := start(t)
	asked := func() *tab {
		b := newTab(t)
		b.open(p.ask(elm, scheme))
		b.signIn("dr.lee", password)
		b.shows("opens the address frontdesk-test: in an application on this device")
		return b
	}
	b := asked()
	b.look("authorise-scheme")
	if got, want := b.leaving("Approve"), scheme+"&username=dr.lee&expiresAt=2026-07-02T00%3A00%3A00Z"; got != want {
		t.Errorf("left for %s, want %s", got, want)
	}
	p.mayCall(elm)
	if got, want := asked().leaving("Decline"), scheme+"&error=access_denied"; got != want {
		t.Errorf("left for %s, want %s", got, want)
	}
}

func TestBrowserIsSignedInAtTwoPractices_D27(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	for _, tenant := range []string{elm, oak} {
		b.open(p.ask(tenant, p.callback))
		b.titled("Sign in")
		b.signIn("dr.lee", password)
		b.press("Approve")
		p.mayCall(tenant)
	}
	b.open(p.page(elm, "authorisations"))
	b.shows("Elm Street Surgery")
	b.press("Stop Triage Helper")
	b.press("Sign out")
	p.mayNotCall(elm)
	p.mayCall(oak)
	b.open(p.page(oak, "authorisations"))
	b.shows("Until 1:00am on Thursday 2 July.")
	b.quiet()
}

func TestBrowserShowsAuthorisationsOfOthers_D14(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.ask(elm, p.callback))
	b.signIn("dr.lee", password)
	b.press("Approve")
	b.open(p.page(elm, "authorisations"))
	b.press("Sign out")
	b.signIn("dr.may", password)
	b.open(p.page(elm, "authorisations"))
	b.shows("Triage Helper for Dr Lee")
	b.look("authorisations-administrator")
	b.press("Stop Triage Helper")
	p.mayNotCall(elm)
}

func TestBrowserShowsErrorsAsPages_D25(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.page(elm, "authorisations"))
	b.signIn("dr.lee", password)
	for name, c := range map[string]struct {
		address string
		status  int64
	}{
		"error-callback":    {p.ask(elm, "https://evil.example/callback"), http.StatusBadRequest},
		"error-incomplete":  {p.page(elm, "authorise"), http.StatusBadRequest},
		"error-application": {p.page(elm, "authorise?app=x&redirect=y"), http.StatusNotFound},
		"error-not-found":   {p.page(elm, "nowhere"), http.StatusNotFound},
	} {
		if answer := b.open(c.address); answer.Status != c.status {
			t.Errorf("%s: %d, want %d", name, answer.Status, c.status)
		}
		if at := b.at().String(); at != c.address {
			t.Errorf("%s: the browser was sent to %s", name, at)
		}
		b.look(name)
	}
}

// The help link of a page leads to its section of the guide.
func TestBrowserReadsTheGuide_D154(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.page(elm, "requests"))
	b.loading(chromedp.Click(`//a[. = "Help with this page"]`))
	b.titled("Help")
	if at := b.at(); at.Fragment != "signing-in" {
		t.Errorf("the sign-in page leads to %s", at)
	}
	b.fits("help")
	b.quiet()
}
