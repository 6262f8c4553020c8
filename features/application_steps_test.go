package features_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cucumber/godog"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

// applicationSteps are about applications, their rights, and their keys.
func (w *world) applicationSteps(sc *godog.ScenarioContext) {
	sc.Step(`^the application "([^"]*)"$`, w.anApplication)
	sc.Step(`^"([^"]*)" is an integration for single patients$`, w.markPatientScoped)
	sc.Step(`^"([^"]*)" is granted "([^"]*)"$`, w.granted)
	sc.Step(`^the grant "([^"]*)" is taken from "([^"]*)"$`, w.ungranted)
	sc.Step(`^the practice enables "([^"]*)"$`, w.enabled)
	sc.Step(`^the practice disables "([^"]*)"$`, w.disabled)
	sc.Step(`^"([^"]*)" authorises "([^"]*)"$`, w.authorised)
	sc.Step(`^"([^"]*)" authorises "([^"]*)" for the patient "([^"]*)"$`, w.authorisedForPatient)
	sc.Step(`^"([^"]*)" revokes the authorisation of "([^"]*)"$`, w.revoked)

	sc.Step(`^the key server of "([^"]*)" is down$`, w.keysDown)
	sc.Step(`^the key server of "([^"]*)" answers (?:with )?(.*)$`, w.keysAnswer)
	sc.Step(`^the key server of "([^"]*)" works again$`, w.keysWork)
	sc.Step(`^the keys of "([^"]*)" have been fetched (\d+) times?$`, w.fetched)
}

func (w *world) anApplication(name string) error {
	keys := bearertest.NewServer(nil)
	id, err := w.Desk.RegisterApplication(w.ctx, commands.RegisterApplication{Name: name, JWKSURL: keys.URL})
	if err != nil {
		return err
	}
	app := bearertest.NewApplication(id)
	keys.Publish(app.JWKS())
	w.applications[name] = &integrator{Application: app, keys: keys}
	return nil
}

// onApplication runs an operation on one application of the scenario.
func (w *world) onApplication(name string, do func(application.ID) error) error {
	app, err := w.application(name)
	if err != nil {
		return err
	}
	return do(app.ID)
}

func (w *world) markPatientScoped(name string) error {
	return w.onApplication(name, func(id application.ID) error {
		return w.Desk.MarkPatientScoped(w.ctx, commands.MarkPatientScoped{Application: id})
	})
}

// grantOf parses a grant in the form of §5.6.
func grantOf(text string) application.Grant {
	endpoint, mode, _ := strings.Cut(text, ":")
	return application.Grant{Endpoint: application.EndpointName(endpoint), Mode: application.Mode(mode)}
}

func (w *world) granted(name, grant string) error {
	return w.onApplication(name, func(id application.ID) error {
		return w.Desk.GrantEndpoint(w.ctx, commands.GrantEndpoint{Application: id, Grant: grantOf(grant)})
	})
}

func (w *world) ungranted(grant, name string) error {
	return w.onApplication(name, func(id application.ID) error {
		return w.Desk.RevokeEndpoint(w.ctx, commands.RevokeEndpoint{Application: id, Grant: grantOf(grant)})
	})
}

func (w *world) enabled(name string) error {
	return w.onApplication(name, func(id application.ID) error {
		return w.Desk.EnableApplication(w.ctx, commands.EnableApplication{Tenant: w.tenant(w.practice), Application: id})
	})
}

func (w *world) disabled(name string) error {
	return w.onApplication(name, func(id application.ID) error {
		return w.Desk.DisableApplication(w.ctx, commands.DisableApplication{Tenant: w.tenant(w.practice), Application: id})
	})
}

func (w *world) authorised(member, name string) error {
	return w.onApplication(name, func(id application.ID) error {
		_, err := w.Desk.GrantUserAuthorisation(w.ctx, commands.GrantUserAuthorisation{
			Tenant: w.tenant(w.practice), Application: id, Username: w.usernames[member],
		})
		return err
	})
}

func (w *world) authorisedForPatient(member, name, patient string) error {
	return w.onApplication(name, func(id application.ID) error {
		_, err := w.Desk.GrantPatientScopedAuthorisation(w.ctx, commands.GrantPatientScopedAuthorisation{
			Tenant: w.tenant(w.practice), Application: id, Username: w.usernames[member], Patient: w.patients[patient],
		})
		return err
	})
}

func (w *world) revoked(member, name string) error {
	return w.onApplication(name, func(id application.ID) error {
		return w.Desk.RevokeUserAuthorisation(w.ctx, commands.RevokeUserAuthorisation{
			Tenant: w.tenant(w.practice), Application: id, Username: w.usernames[member],
		})
	})
}

func (w *world) keysDown(name string) error { return w.keysAnswer(name, "500") }

func (w *world) keysAnswer(name, what string) error {
	app, err := w.application(name)
	if err != nil {
		return err
	}
	if status, err := strconv.Atoi(what); err == nil {
		app.keys.Fail(status)
		return nil
	}
	app.keys.Publish([]byte(w.filled(what)))
	return nil
}

func (w *world) keysWork(name string) error {
	app, err := w.application(name)
	if err == nil {
		app.keys.Publish(app.JWKS())
	}
	return err
}

func (w *world) fetched(name string, times int) error {
	app, err := w.application(name)
	if err == nil && app.keys.Fetches() != times {
		err = fmt.Errorf("fetched %d times", app.keys.Fetches())
	}
	return err
}
