package features_test

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/cucumber/godog"

	"frontdesk/commands"
	"frontdesk/domain/practice"
)

// practiceSteps are about practices and the people in them.
func (w *world) practiceSteps(sc *godog.ScenarioContext) {
	sc.Step(`^the practice "([^"]*)"$`, w.aPractice)
	sc.Step(`^(?:its|the) patient "([^"]*)"$`, w.aPatient)
	sc.Step(`^(?:its|the) member of staff "([^"]*)" with the username "([^"]*)"$`, w.aMemberOfStaff)
	sc.Step(`^"([^"]*)" leaves the practice$`, w.leaves)
	sc.Step(`^the record of "([^"]*)" is restricted to "([^"]*)"$`, w.restricted)
	sc.Step(`^(.*) pass(?:es)?$`, w.passes)
}

func (w *world) aPractice(name string) error {
	w.practice = name
	err := w.Desk.RegisterPractice(w.ctx, commands.RegisterPractice{Tenant: w.tenant(name), Name: name})
	if errors.Is(err, practice.ErrTenantTaken) {
		return nil // mentioned again
	}
	return err
}

func (w *world) aPatient(name string) error {
	id, err := w.Desk.RegisterPatient(w.ctx, commands.RegisterPatient{Tenant: w.tenant(w.practice), Name: name})
	w.patients[name] = id
	return err
}

func (w *world) aMemberOfStaff(name, username string) error {
	w.usernames[name] = username
	_, err := w.Desk.RegisterStaff(w.ctx, commands.RegisterStaff{
		Tenant: w.tenant(w.practice), Username: username, Name: name, Email: "staff@practice.example",
	})
	return err
}

func (w *world) leaves(name string) error {
	return w.Desk.DeactivateStaff(w.ctx, commands.DeactivateStaff{
		Tenant: w.tenant(w.practice), Username: w.usernames[name],
	})
}

func (w *world) restricted(patient, name string) error {
	return w.Desk.RestrictPatientRecord(w.ctx, commands.RestrictPatientRecord{
		Tenant: w.tenant(w.practice), Patient: w.patients[patient], Usernames: []string{w.usernames[name]},
	})
}

// passes moves the clocks of the program and of the database: "12h", "11h59m59.999s".
func (w *world) passes(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%q is no duration such as 12h: %w", text, err)
	}
	w.Pass(d)
	return nil
}

// practiceItselfSteps are about managers' decisions on the practice's pages.
func (w *world) practiceItselfSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" wants to "([^"]*)" (medical|admin) requests$`, func(manager, do, typ string) error {
		return w.browser(manager).fill("opening/type/"+typ, do, nil)
	})
	sc.Step(`^"([^"]*)" wants to close the practice now until "([^"]*)" on "([^"]*)"$`, func(manager, clock, date string) error {
		return w.browser(manager).fill("opening/close", "opening", url.Values{
			"begin": {"now"}, "end": {"at"}, "until-date": {date}, "until-time": {clock},
		})
	})
	sc.Step(`^"([^"]*)" means it$`, func(manager string) error { return w.browser(manager).submit("opening", nil) })
	sc.Step(`^"([^"]*)" opens the page of "([^"]*)"$`, func(manager, app string) error {
		return w.browser(manager).get(w.pageOf(app))
	})
	sc.Step(`^"([^"]*)" decides to "([^"]*)" "([^"]*)"$`, func(manager, do, app string) error {
		return w.browser(manager).fill(w.pageOf(app), do, nil)
	})
}

func (w *world) pageOf(app string) string { return fmt.Sprint("applications/", w.applications[app].ID) }
