package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
)

// closes restricts Ann's record to Dr Lee.
func (p *inbox) closes() {
	p.t.Helper()
	testworld.Must(p.t, p.Desk.RestrictPatientRecord(p.t.Context(), commands.RestrictPatientRecord{Tenant: elm, Patient: p.ann, Usernames: []string{"dr.lee"}}))
}

func TestBrowserKeepsNoteOfClosedRecord_D85(t *testing.T) {
	t.Parallel()
	p, b := startNote(t)
	p.closes()
	b.press("Add note")
	b.shows("Your note has not been added")
	b.look("closed-note")
	b.fits("closed-note")
	b.do(chromedp.SendKeys("#reason", "She has collapsed"))
	b.press("Open the record")
	b.shows("You have opened this record.")
	if note := b.note(); note != halfANote {
		t.Errorf("the note is %q", note)
	}
	b.press("Add note")
	b.shows("The note has been added to the record.")
	b.quietBut("403")
}

func TestBrowserKeepsTextOfClosedRequest_D85(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	b := p.as("bob", "requests/"+p.rash.String())
	b.do(chromedp.SendKeys("#text", halfANote))
	p.closes()
	b.press("Save the note")
	b.shows("This text was not saved.")
	b.look("closed-request")
	b.fits("closed-request")
	other := b.sibling()
	other.open(p.page(elm, "patients/"+p.ann.String()))
	other.do(chromedp.SendKeys("#reason", "She has collapsed"))
	other.press("Open the record")
	other.shows("You have opened this record.")
	b.press("Save the note")
	b.shows(halfANote)
	b.shows("Your note has been added.")
	b.quietBut("403")
}
