package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
)

// A receptionist moves an appointment for a patient who rings, and then cancels it. A click
// into a field counts, too.
func TestBrowserServesACaller_D155(t *testing.T) {
	t.Parallel()
	p, b, manager := start(t), newTab(t), newTab(t)
	p.receive()
	p.expected("Cleo Carver", p.namesSites(manager), 24*time.Hour)
	testworld.Must(t, p.Drain(t.Context()))
	b.open(p.page(elm, "requests"))
	b.signIn("rose", password)
	for _, task := range []struct{ link, picture, button, says string }{
		{"Move", "ask-move", "Move", "The appointment is moved."},
		{"cancel", "ask-cancel", "Cancel the appointment", "The appointment is cancelled."},
	} {
		b.open(p.page(elm, "requests"))
		clicks := 0
		click := func(what string) {
			clicks++
			b.loading(chromedp.Click(what))
		}
		clicks++
		b.do(chromedp.Click("#seek"), chromedp.SendKeys("#seek", "carver, cleo"))
		click(button("Find"))
		click(`//main//a[contains(., "Cleo Carver")]`)
		b.fits("patient-" + task.picture)
		click(`//main//a[starts-with(normalize-space(.), "` + task.link + `")]`)
		b.fits(task.picture)
		if task.link == "Move" {
			if at := js[string](b, `document.activeElement.id`); at != "date" {
				t.Errorf("the cursor is in %q", at)
			}
			b.do(chromedp.SetValue("#date", "9 7 26"), chromedp.SetValue("#time", "9.40am"))
		}
		click(button(task.button))
		b.shows(task.says)
		b.shows("Cleo Carver")
		if clicks > 5 {
			t.Errorf("%s takes %d clicks", task.link, clicks)
		}
	}
	b.quiet()
	manager.quietBut("400")
}
