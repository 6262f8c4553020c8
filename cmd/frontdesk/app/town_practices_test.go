package app_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// The practices, and whom each of them has: other people by the same usernames,
// of whom the last has left, and one patient by the same identifier (D18).
var (
	townTenants = []string{"elm-street", "oak-lane", "ash-road"}
	townStaff   = []string{"dr.lee", "kim", "sam", "robin"}
	townTwin    = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
)

// clinic is what calls of a practice may name.
type clinic struct {
	patients []patient.ID
	site     site.ID
	visit    appointment.ID
}

// found sets a practice up; the first is registered already. The records of all
// patients but the twin are Dr Lee's alone.
func (w *town) found(t *testing.T, tenant string) {
	t.Helper()
	if tenant != townTenants[0] {
		must(t, w.Desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: tenant, Name: tenant}))
	}
	w.practices[tenant] = w.furnish(t, tenant)
	for i, username := range townStaff {
		_, err := w.Desk.RegisterStaff(t.Context(), commands.RegisterStaff{
			Tenant: tenant, Username: username, Name: username, Email: "a@example.org", Administrator: i == 0})
		must(t, err)
		w.authorise(t, tenant, username)
	}
	for _, id := range w.practices[tenant].patients[1:] {
		must(t, w.Desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: tenant, Patient: id, Usernames: townStaff[:1]}))
	}
	leaver := townStaff[len(townStaff)-1]
	must(t, w.Desk.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: tenant, Username: leaver}))
}

// furnish is three patients, and a visit of the first.
func (w *town) furnish(t *testing.T, tenant string) (c clinic) {
	t.Helper()
	for _, id := range []patient.ID{townTwin, {}, {}} {
		id, err := w.Desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: tenant, Patient: id, Name: "Ann"})
		must(t, err)
		c.patients = append(c.patients, id)
	}
	var err error
	c.site, err = w.Desk.AddSite(t.Context(), commands.AddSite{Tenant: tenant, Name: "Main"})
	must(t, err)
	c.visit, err = w.Desk.BookAppointment(t.Context(), commands.BookAppointment{Tenant: tenant, Patient: townTwin, Site: c.site, At: w.clock.Now()})
	must(t, err)
	return c
}

// authorise enables each application and lets it act for a member of staff: for
// Sam on one patient only. It takes its time, so that the first authorisations
// end soon after the last are given.
func (w *town) authorise(t *testing.T, tenant, username string) {
	t.Helper()
	for _, integrator := range w.applications {
		must(t, w.Desk.EnableApplication(t.Context(), commands.EnableApplication{Tenant: tenant, Application: integrator.ID}))
		var err error
		if username == "sam" {
			_, err = w.Desk.GrantPatientScopedAuthorisation(t.Context(), commands.GrantPatientScopedAuthorisation{
				Tenant: tenant, Application: integrator.ID, Username: username, Patient: townTwin})
		} else {
			_, err = w.Desk.GrantUserAuthorisation(t.Context(), commands.GrantUserAuthorisation{Tenant: tenant, Application: integrator.ID, Username: username})
		}
		must(t, err)
		w.clock.Pass(20 * time.Minute)
	}
}
