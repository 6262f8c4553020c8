package features_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cucumber/godog"

	"frontdesk/commands"
	"frontdesk/domain/access"
)

// tenancySteps are about similar data of several practices.
func (w *world) tenancySteps(sc *godog.ScenarioContext) {
	sc.Step(`^its site with a room, where "([^"]*)" has an appointment$`, w.aPlaceAndAnAppointment)
	sc.Step(`^the log shows nothing new$`, w.loggedNothing)
}

// aPlaceAndAnAppointment makes <the site of Elm Street>, <the room of Elm
// Street> and <the appointment of Ann Archer>.
func (w *world) aPlaceAndAnAppointment(patient string) error {
	tenant := w.tenant(w.practice)
	site, err := w.Desk.AddSite(w.ctx, commands.AddSite{Tenant: tenant, Name: "Main building"})
	if err != nil {
		return err
	}
	room, err := w.Desk.AddRoom(w.ctx, commands.AddRoom{Tenant: tenant, Site: site, Name: "Room 1"})
	if err != nil {
		return err
	}
	visit, err := w.Desk.BookAppointment(w.ctx, commands.BookAppointment{
		Tenant: tenant, Patient: w.patients[patient], Site: site, At: w.Clock.Now(),
	})
	w.things["the site of "+w.practice] = site.UUID
	w.things["the room of "+w.practice] = room.UUID
	w.things["the appointment of "+patient] = visit.UUID
	return err
}

// loggedNothing fails when the last call has appended something.
func (w *world) loggedNothing() error {
	if err := w.Drain(w.ctx); err != nil {
		return err
	}
	for e, err := range w.Log.After(w.ctx, w.logged) {
		if err != nil {
			return err
		}
		if e.Metadata.RequestID == w.answer.headers.Get("X-Request-Id") {
			return fmt.Errorf("the call appended %s", e.EventName())
		}
	}
	return nil
}

// A new endpoint must be tried across two practices (D18).
func TestTenancyFeatureNamesEndpoints(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("tenancy.feature")
	if err != nil {
		t.Fatal(err)
	}
	for _, endpoint := range append(access.Grantable(), access.Ping) {
		// once with an object of the other practice, once on behalf of its staff
		if strings.Count(string(text), string(endpoint)) < 2 {
			t.Errorf("%s is not tried across two practices", endpoint)
		}
	}
}
