package sandbox

import (
	"context"
	"fmt"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// Day is where the sandbox's practice sees its patients, and whom it expects.
type Day struct {
	Sites        []Site        `json:"sites"`
	Rooms        []Room        `json:"rooms"`
	Appointments []Appointment `json:"appointments"`
}

// Site is a site of the sandbox's practice.
type Site struct {
	ID   site.ID `json:"id"`
	Name string  `json:"name"`
}

// Room is a room of a site.
type Room struct {
	ID     site.RoomID `json:"id"`
	SiteID site.ID     `json:"siteId"`
	Name   string      `json:"name"`
}

// Appointment is an appointment of a patient at a site.
type Appointment struct {
	ID        appointment.ID `json:"id"`
	PatientID patient.ID     `json:"patientId"`
	SiteID    site.ID        `json:"siteId"`
	At        time.Time      `json:"at"`
}

// plantDay seeds a site with two rooms, where the first two patients are
// expected from the next full hour on.
func plantDay(ctx context.Context, desk commands.Desk, patients []Patient, now time.Time) (d Day, err error) {
	const name = "Sandbox Surgery, Main Street"
	at, err := desk.AddSite(ctx, commands.AddSite{Tenant: tenant, Name: name})
	if err != nil {
		return d, err
	}
	d.Sites = []Site{{at, name}}
	for n := range 2 {
		room := Room{SiteID: at, Name: fmt.Sprintf("Room %d", n+1)}
		room.ID, err = desk.AddRoom(ctx, commands.AddRoom{Tenant: tenant, Site: at, Name: room.Name})
		if err != nil {
			return d, err
		}
		d.Rooms = append(d.Rooms, room)
	}
	first := now.UTC().Truncate(time.Hour).Add(time.Hour)
	for n := range 2 {
		a := Appointment{PatientID: patients[n].ID, SiteID: at, At: first.Add(time.Duration(n) * 15 * time.Minute)}
		a.ID, err = desk.BookAppointment(ctx, commands.BookAppointment{Tenant: tenant, Patient: a.PatientID, Site: at, At: a.At})
		if err != nil {
			return d, err
		}
		d.Appointments = append(d.Appointments, a)
	}
	return d, nil
}
