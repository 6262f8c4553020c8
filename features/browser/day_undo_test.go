package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"frontdesk/domain/appointment"
)

// A receptionist undoes a press on the wrong row, with scripts and without.
func TestBrowserUndoesASlip_D155(t *testing.T) {
	t.Parallel()
	p, manager := start(t), newTab(t)
	at := p.namesSites(manager)
	for name, script := range map[string]bool{"Ann Archer": true, "Bill Baker": false} {
		p.expected(name, at, 10*time.Minute)
		b := newTab(t)
		if !script {
			b.withoutScript()
		}
		b.open(p.page(elm, "day"))
		b.signIn("dr.lee", password)
		b.open(p.page(elm, "day"))
		b.press("Arrived: " + name)
		b.shows("The patient is marked as arrived.")
		if script {
			b.fits("day-undo")
		}
		b.press("Undo: " + name)
		b.shows("The last step is undone.")
		b.press("Arrived: " + name)
		b.press("Call in: " + name)
		b.press("Undo: " + name)
		b.shows("The last step is undone.")
		b.do(chromedp.WaitVisible(button("Call in: " + name)))

		b.press("Call in: " + name)
		p.Pass(appointment.UndoLimit)
		b.press("Undo: " + name)
		b.shows("The last step can be undone for 30 seconds only.")
		b.quietBut("409")
	}
	manager.quietBut("400")
}
