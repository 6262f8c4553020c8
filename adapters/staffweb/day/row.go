package day

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// row is an appointment in the list.
type row struct {
	ID                                   appointment.ID
	Patient                              patient.ID
	Name, Born                           string
	Time, Date                           string // in the practice's time zone
	Standing                             string // "Arrived at 9:05am"
	Status, Colour                       string // the name of the status, and the colour of its tag
	RoomName                             string // of the call-in; "" for none
	Since                                string // when it got the status, or how long the patient has waited
	Waits                                string // how long the patient has waited since they arrived; "" unless they wait
	Late                                 bool   // they have waited for too long
	Class                                string // of the row in the table; "" for none
	Number                               string // for displays that call by number; "" unless the patient is there
	Seen                                 string // the state on the page; a form sends it back
	MayArrive, MayCallIn, Called, Absent bool   // the next actions
	MayChange, Cancelled                 bool
	Early                                bool   // it is on a later day
	With, Kind, Length                   string // the plan; each may be ""
	Planned                              string // the plan in one clause; "" for none
}

func (s *Section) rowOf(r *pagekit.Request, at projections.Site, a projections.Appointment, name projections.PatientName) row {
	line := row{
		ID: a.Appointment, Patient: a.Patient, Name: name.Name, Born: pagekit.BornAndAge(name.BirthDate, s.Now().In(r.Practice.Zone)), Time: pagekit.TimeOfDay(a.StartsAt, r.Practice.Zone),
		Date: pagekit.Weekday(a.StartsAt, r.Practice.Zone), Standing: statusText(r, at, a), Seen: seenOf(a), MayChange: true, Early: s.isEarly(r, a),
	}
	line.With, line.Kind, line.Length = pagekit.Plain(a.ClinicianName), pagekit.KindNames[a.Kind], pagekit.LengthText(a.Minutes)
	line.Planned = pagekit.PlanText(a.Plan, a.ClinicianName)
	s.describe(r, at, a, &line)
	if there := a.ArrivedAt != nil || a.Status == projections.StatusCalledIn; there && a.Status != projections.StatusCancelled {
		line.Number = a.Appointment.Number()
	}
	switch a.Status {
	case projections.StatusBooked:
		line.MayArrive, line.MayCallIn = a.ArrivedAt == nil, a.ArrivedAt != nil
		line.Absent = a.ArrivedAt == nil && s.Now().After(a.StartsAt)
	case projections.StatusCalledIn:
		line.Called = true
	case projections.StatusDidNotAttend:
		line.MayArrive = true
	case projections.StatusAttended, projections.StatusCancelled:
		line.MayChange, line.Cancelled = false, a.Status == projections.StatusCancelled
	}
	return line
}

// longWait is the waiting time from which the day marks a patient.
const longWait = 20 * time.Minute

// describe fills in the status as the day shows it.
func (s *Section) describe(r *pagekit.Request, at projections.Site, a projections.Appointment, line *row) {
	zone := r.Practice.Zone
	line.Status, line.Colour = statusNames[a.Status], statusColours[a.Status]
	switch {
	case a.Status == projections.StatusCalledIn:
		line.RoomName, line.Since = roomNameAt(at, a.Room), pagekit.TimeOfDay(*a.CalledInAt, zone)
	case a.Status == projections.StatusBooked && a.ArrivedAt != nil:
		waits := s.Now().Sub(*a.ArrivedAt)
		line.Status, line.Colour, line.Late = "Arrived", "blue", waits >= longWait
		line.Waits = pagekit.Waited(waits)
		line.Since = "waits " + line.Waits
	case a.Status == projections.StatusAttended || a.Status == projections.StatusCancelled || a.Status == projections.StatusDidNotAttend:
		line.Class = "past"
	}
}

// roomNameAt is the name of a room of the site; "" if it has none such.
func roomNameAt(at projections.Site, id site.RoomID) string {
	if n := slices.IndexFunc(at.Rooms, func(room projections.Room) bool { return room.Room == id }); n >= 0 {
		return pagekit.Plain(at.Rooms[n].Name)
	}
	return ""
}

// seenOf encodes the state of an appointment on a page: place, time, status and plan.
func seenOf(a projections.Appointment) string {
	shown := []string{a.Site.String(), a.StartsAt.UTC().Format(time.RFC3339Nano), string(a.Status), a.Clinician.String(), strconv.Itoa(a.Minutes), string(a.Kind)}
	for _, at := range []*time.Time{a.ArrivedAt, a.CalledInAt} {
		if at != nil {
			shown = append(shown, at.UTC().Format(time.RFC3339Nano))
		}
	}
	return strings.Join(append(shown, a.Room.String()), " ")
}

// statusText describes the status of an appointment.
func statusText(r *pagekit.Request, at projections.Site, a projections.Appointment) string {
	switch {
	case a.Status == projections.StatusCalledIn:
		into := ""
		if name := roomNameAt(at, a.Room); name != "" {
			into = " to " + name
		}
		return "Called in" + into + " at " + pagekit.TimeOfDay(*a.CalledInAt, r.Practice.Zone)
	case a.Status == projections.StatusBooked && a.ArrivedAt != nil:
		return "Arrived at " + pagekit.TimeOfDay(*a.ArrivedAt, r.Practice.Zone)
	}
	return statusNames[a.Status]
}
