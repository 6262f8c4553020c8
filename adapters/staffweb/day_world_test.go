package staffweb_test

import (
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

const dayAt = "/elm-street/staff/day"

// clinic is a day of Elm Street: it has two sites, a room in each, and Ann, who is
// expected at the first.
type clinic struct {
	*service
	main, branch site.ID
	room, far    site.RoomID
	ann          patient.ID
	visit        appointment.ID
}

func newClinic(t *testing.T) *clinic {
	t.Helper()
	c := &clinic{service: newService(t)}
	desk := c.pages.Desk
	c.main, c.branch = idOf(t)(desk.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Elm House"})),
		idOf(t)(desk.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "The Annexe"}))
	c.room, c.far = roomOf(t)(desk.AddRoom(t.Context(), commands.AddRoom{Tenant: elm, Site: c.main, Name: "Room 1"})),
		roomOf(t)(desk.AddRoom(t.Context(), commands.AddRoom{Tenant: elm, Site: c.branch, Name: "Room 9"}))
	var err error
	c.ann, err = desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: elm, Name: "Ann <Archer>", BirthDate: "1980-02-29"})
	must(t, err)
	c.visit = c.expect(t, c.Now())
	for username, name := range map[string]string{"kim": "Kim Reed", "bob": "Bob Hill"} {
		c.register(t, elm, username, name, false)
		must(t, desk.SetStaffRoles(t.Context(), commands.SetStaffRoles{Tenant: elm, Username: username, Roles: staff.Roles{staff.Receptionist}}))
	}
	return c
}

func idOf(t *testing.T) func(site.ID, error) site.ID {
	return func(id site.ID, err error) site.ID { t.Helper(); must(t, err); return id }
}

func roomOf(t *testing.T) func(site.RoomID, error) site.RoomID {
	return func(id site.RoomID, err error) site.RoomID { t.Helper(); must(t, err); return id }
}

func (c *clinic) expect(t *testing.T, at time.Time) appointment.ID {
	t.Helper()
	id, err := c.pages.Desk.BookAppointment(t.Context(), commands.BookAppointment{Tenant: elm, Patient: c.ann, Site: c.main, At: at})
	must(t, err)
	return id
}

func (c *clinic) at(id appointment.ID) string { return dayAt + "/" + id.String() }

// sends submits a form of a page that was opened before.
func (c *clinic) sends(b *browser, page seen, do string, more ...string) seen {
	b.t.Helper()
	form := page.form(b.t, c.at(c.visit))
	form.Set("do", do)
	for n := 0; n < len(more); n += 2 {
		form.Set(more[n], more[n+1])
	}
	return b.post(c.at(c.visit), form)
}

func (c *clinic) is(t *testing.T) projections.Appointment {
	t.Helper()
	found, err := projections.Appointments{DB: c.pool}.Find(t.Context(), elm, c.visit)
	must(t, err)
	return found
}
