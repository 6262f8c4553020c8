package features_test

import (
	"net/url"
	"time"

	"github.com/cucumber/godog"

	"frontdesk/commands"
	"frontdesk/domain/appointment"
)

// contactSteps are about contact details, searches by number, and planned appointments.
func (w *world) contactSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" sets the contact details of "([^"]*)" to "([^"]*)", "([^"]*)", "([^"]*)"$`, w.setsContact)
	sc.Step(`^"([^"]*)" looks for the NHS number "([^"]*)"$`, w.looksForNumber)
	sc.Step(`^"([^"]*)" has a telephone appointment of 10 minutes with "([^"]*)"$`, w.isPlanned)
	sc.Step(`^the consumers follow$`, w.follows)
}

func (w *world) setsContact(name, patient, telephone, email, number string) error {
	return w.browser(name).fill(w.recordOf(patient)+"/contact", "/contact", url.Values{"telephone": {telephone}, "email": {email}, "nhs-number": {number}})
}

// looksForNumber waits until the log has all events, as searches do.
func (w *world) looksForNumber(name, number string) error {
	if err := w.Drain(w.ctx); err != nil {
		return err
	}
	return w.browser(name).fill("patients", "/patients", url.Values{"nhs-number": {number}})
}

func (w *world) isPlanned(patient, clinician string) error {
	tenant := w.tenant(w.practice)
	at, err := w.Desk.AddSite(w.ctx, commands.AddSite{Tenant: tenant, Name: "Elm House"})
	if err != nil {
		return err
	}
	with, err := w.Staff.AnyStaffByUsername(w.ctx, tenant, w.usernames[clinician])
	if err != nil {
		return err
	}
	w.appointment, err = w.Desk.BookAppointment(w.ctx, commands.BookAppointment{
		Tenant: tenant, Patient: w.patients[patient], Site: at, At: w.now().Add(24 * time.Hour),
		Plan: appointment.Plan{Clinician: with, Minutes: 10, Kind: appointment.Telephone},
	})
	return err
}
