package day

import (
	"slices"
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// row is an appointment in the list.
type row struct {
	ID                                   appointment.ID
	Patient                              patient.ID
	Name, Born                           string
	Time, Date                           string // in the practice's time zone
	Standing                             string // "Arrived at 9:05am"
	Number                               string // for displays that call by number; "" unless the patient is there
	Seen                                 string // the state on the page; a form sends it back
	MayArrive, MayCallIn, Called, Absent bool   // the next actions
	MayChange, Cancelled                 bool
}

func (s *Section) rowOf(r *pagekit.Request, at projections.Site, a projections.Appointment, name projections.PatientName) row {
	line := row{
		ID: a.Appointment, Patient: a.Patient, Name: name.Name, Born: pagekit.FormatBirthDate(name.BirthDate), Time: pagekit.TimeOfDay(a.StartsAt, r.Practice.Zone),
		Date: pagekit.Weekday(a.StartsAt, r.Practice.Zone), Standing: statusText(r, at, a), Seen: seenOf(a), MayChange: true,
	}
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

// seenOf encodes the state of an appointment on a page: place, time and status.
func seenOf(a projections.Appointment) string {
	shown := []string{a.Site.String(), a.StartsAt.UTC().Format(time.RFC3339Nano), string(a.Status)}
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
		if n := slices.IndexFunc(at.Rooms, func(room projections.Room) bool { return room.Room == a.Room }); n >= 0 {
			into = " to " + pagekit.Plain(at.Rooms[n].Name)
		}
		return "Called in" + into + " at " + pagekit.TimeOfDay(*a.CalledInAt, r.Practice.Zone)
	case a.Status == projections.StatusBooked && a.ArrivedAt != nil:
		return "Arrived at " + pagekit.TimeOfDay(*a.ArrivedAt, r.Practice.Zone)
	}
	return statusNames[a.Status]
}
