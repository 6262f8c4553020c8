package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// receive makes rose a receptionist of Elm Street, and registers Ann.
func (p *program) receive() (ann patient.ID) {
	p.t.Helper()
	_, err := p.Desk.RegisterStaff(p.t.Context(), commands.RegisterStaff{
		Tenant: elm, Username: "rose", Name: "Rose Reed", Email: "rose@elm.example", Roles: staff.Roles{staff.Receptionist}, Password: password,
	})
	testworld.Must(p.t, err)
	ann, err = p.Desk.RegisterPatient(p.t.Context(), commands.RegisterPatient{Tenant: elm, Name: "Ann Archer", BirthDate: "1980-02-29"})
	testworld.Must(p.t, err)
	for n := range 60 {
		_, err := p.Desk.RegisterPatient(p.t.Context(), commands.RegisterPatient{Tenant: elm, Name: "Archie Baker-Featherstonehaugh the " + string(rune('A'+n%26)) + "th"})
		testworld.Must(p.t, err)
	}
	return ann
}

// A receptionist finds a patient, reads and writes the record, breaks the glass of a
// restricted one, and registers a patient. The browser runs no script.
func TestBrowserLooksAfterPatients_D85(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	ann := p.receive()
	testworld.Must(t, p.Drain(t.Context()))
	b.open(p.page(elm, "patients"))
	b.signIn("rose", password)
	b.open(p.page(elm, "patients"))
	b.picture("patients")
	b.press("Search")
	b.shows("Enter a name, date of birth, NHS number or patient ID")
	b.picture("patients-wrong")
	b.do(chromedp.SetValue("#name", "arch"))
	b.press("Search")
	b.shows("61 patients found")
	if focused := js[string](b, `document.activeElement.id`); focused != "found" {
		t.Errorf("focus is on %q, want what was found", focused)
	}
	b.fits("patients-found")
	b.loading(chromedp.Click(`//a[contains(., "Next page")]`))
	b.shows("Showing 51 to 61.")
	b.picture("patients-next")
	b.open(p.page(elm, "patients"))
	b.do(chromedp.SetValue("#name", "nobody like this"))
	b.press("Search")
	b.shows("No patient found")
	b.picture("patients-none")

	b.open(p.page(elm, "patients/"+ann.String()))
	b.titled("Patient record")
	b.do(chromedp.SetValue("#note", "Prefers mornings.\n\nHard of hearing on the left."))
	b.press("Add note")
	b.shows("The note has been added to the record.")
	b.fits("patient")
	b.press("Add note")
	b.picture("patient-wrong")
	b.open(p.page(elm, "patients/"+ann.String()+"/timeline"))
	b.look("timeline")
	b.open(p.page(elm, "patients/"+ann.String()+"/details"))
	b.look("details")

	testworld.Must(t, p.Desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: elm, Patient: ann, Usernames: []string{"dr.lee"}}))
	b.open(p.page(elm, "patients/"+ann.String()))
	b.shows("you do not have access")
	b.picture("closed")
	b.press("Open the record")
	b.shows("Say why you need to see this record")
	b.fits("closed-wrong")
	b.do(chromedp.SetValue("#reason", "She has collapsed at the desk"))
	b.press("Open the record")
	b.shows("You have opened it by giving a reason")
	b.picture("glass-broken")

	b.open(p.page(elm, "patients/register"))
	b.picture("register")
	b.do(chromedp.SetValue("#name", "Anne Archer"), chromedp.SetValue("#born", "29 2 1980"))
	b.press("Register")
	b.shows("Possible duplicate.")
	b.fits("register-alike")
	b.press("Register as a new patient")
	b.shows("The patient has been registered.")
	b.quietBut("400", "409") // invalid forms, and a patient who may be registered already
	b.open(p.page(elm, "patients/00000000-0000-0000-0000-000000000001"))
	b.picture("patient-unknown")
	b.quietBut("404")
}
