package features_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
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
	sc.Step(`^the consumers follow$`, w.followed)
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

// followed waits until no consumer lags behind the log, because time has passed at once.
func (w *world) followed() error {
	return eventually(func() error {
		answer, err := http.Get(w.PrivateURL() + "/metrics")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if lag := lagging.Find(text); lag != nil {
			return fmt.Errorf("it is %s", lag)
		}
		return err
	})
}

var lagging = regexp.MustCompile(`(?m)^frontdesk_consumer_lag_seconds.* [1-9].*$`)
