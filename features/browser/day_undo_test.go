package browser_test

import (
	"testing"
	"time"

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
		b.undo(name)
		b.shows("The last step is undone.")
		b.press("Arrived: " + name)
		b.press("Call in: " + name)
		b.undo(name)
		b.shows("The last step is undone.")
		b.press("Call in: " + name)
		p.Pass(appointment.UndoLimit)
		b.undo(name)
		b.shows("The last step can be undone for 30 seconds only.")
		b.quietBut("409")
	}
	manager.quietBut("400")
}

// undo presses Undo, however long this machine took to show the page: the style sheet
// hides the button after 30 seconds.
func (b *tab) undo(name string) {
	b.t.Helper()
	js[string](b, `document.querySelector(".undo").style.animation = "none"`)
	b.press("Undo: " + name)
}
