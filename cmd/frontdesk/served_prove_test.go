//go:build prove

package main_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// servingIn returns the URLs at which a log says that the program serves; "" while it
// does not say so.
func servingIn(log string) (url, private string) {
	file, err := os.Open(log)
	if err != nil {
		return "", ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var line struct {
			Msg, URL string
			Private  string `json:"private_url"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			return line.URL, line.Private
		}
	}
	return "", ""
}

// onboard makes the practice elm-street with a patient, and an application that may
// submit.
func onboard(t *testing.T, engine *app.Engine) (integrator bearertest.Application, patient string) {
	t.Helper()
	keys := bearertest.NewServer(nil)
	t.Cleanup(keys.Close)
	do, ctx := engine.Desk, t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(do.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm-street", Name: "Elm Street"}))
	id, err := do.RegisterApplication(ctx, commands.RegisterApplication{Name: "Integrator", JWKSURL: keys.URL})
	must(err)
	integrator = bearertest.NewApplication(id)
	keys.Publish(integrator.JWKS())
	grant := application.Grant{Endpoint: access.CreatePatientRequest, Mode: application.ApplicationRestricted}
	must(do.GrantEndpoint(ctx, commands.GrantEndpoint{Application: id, Grant: grant}))
	must(do.EnableApplication(ctx, commands.EnableApplication{Tenant: "elm-street", Application: id}))
	ann, err := do.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm-street", Name: "Ann Archer"})
	must(err)
	return integrator, ann.String()
}
