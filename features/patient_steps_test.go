package features_test

import (
	"fmt"
	"net/url"

	"github.com/cucumber/godog"
)

// patientSteps are about patients, by the practice's pages.
func (w *world) patientSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" looks for "([^"]*)" among the patients$`, w.looksFor)
	sc.Step(`^"([^"]*)" opens the record of "([^"]*)"$`, func(name, patient string) error { return w.browser(name).get(w.recordOf(patient)) })
	sc.Step(`^"([^"]*)" adds the note "([^"]*)" for "([^"]*)"$`, w.addsNote)
	sc.Step(`^"([^"]*)" breaks the glass of "([^"]*)", because "([^"]*)"$`, w.breaksGlass)
	sc.Step(`^"([^"]*)" registers "([^"]*)", born on "([^"]*)"$`, w.registersPatient)
}

// recordOf is the page of a patient.
func (w *world) recordOf(patient string) string { return "patients/" + w.patients[patient].String() }

// looksFor waits until the log has the patients of the practice.
func (w *world) looksFor(name, text string) error {
	if err := w.untilListed(); err != nil {
		return err
	}
	return w.browser(name).fill("patients", "/patients", url.Values{"name": {text}})
}

// untilListed waits until all events have their idx in the log, by which patients are
// found.
func (w *world) untilListed() error {
	return eventually(func() error {
		all, err := w.events("patient.registered.v1")
		if err == nil && len(all) < len(w.patients) {
			err = fmt.Errorf("the log has %d patients", len(all))
		}
		return err
	})
}

func (w *world) addsNote(name, text, patient string) error {
	return w.browser(name).fill(w.recordOf(patient), "/notes", url.Values{"note": {text}})
}

func (w *world) breaksGlass(name, patient, reason string) error {
	return w.browser(name).fill(w.recordOf(patient), "/glass", url.Values{"reason": {reason}})
}

func (w *world) registersPatient(name, patient, born string) error {
	if err := w.untilListed(); err != nil {
		return err
	}
	return w.browser(name).fill("patients/register", "/register", url.Values{"name": {patient}, "born": {born}})
}
