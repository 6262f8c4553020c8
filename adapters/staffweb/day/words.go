package day

import (
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/appointment"
	"frontdesk/domain/catalogue"
	"frontdesk/domain/site"
	"frontdesk/projections"
	"frontdesk/projections/history"
)

// statusNames are the statuses in plain words.
var statusNames = map[projections.Status]string{
	projections.StatusBooked:       "Booked",
	projections.StatusCalledIn:     "Called in",
	projections.StatusDidNotAttend: "Did not attend",
	projections.StatusAttended:     "Consultation started",
	projections.StatusCancelled:    "Cancelled",
}

// statusColours are the colours of the statuses' tags.
var statusColours = map[projections.Status]string{
	projections.StatusBooked: "white", projections.StatusCalledIn: "yellow", projections.StatusAttended: "green",
}

// doneTexts are a page's texts about the last action, by its name.
var doneTexts = map[string]string{
	"book":            "The appointment is booked.",
	"arrived":         "The patient is marked as arrived.",
	"arrived-already": "A colleague has marked the patient as arrived already.",
	"call-in":         "The patient is called in.",
	"clear":           "Call-in cancelled.",
	"absent":          "Marked as did not attend (DNA).",
	"start":           "The consultation has started.",
	"move":            "The appointment is moved.",
	"cancel":          "The appointment is cancelled.",
	"undo":            "The last step is undone.",
}

// eventClause describes an event of an appointment, as a clause; "" for an event that adds
// nothing to the one before it. On the appointment's own page, "this" is the
// appointment.
func (s *Section) eventClause(r *pagekit.Request, sites []projections.Site, h history.Entry) (string, error) {
	switch e := h.Event.(type) {
	case appointment.Booked:
		plan, err := s.planClause(r, e.Plan)
		return clauseOf(r, sites, h) + plan, err
	case appointment.Planned:
		plan, err := s.planClause(r, e.Plan)
		if plan == "" {
			plan = ", without a clinician, length and kind"
		}
		return pagekit.ActorName(r, h) + " planned this" + strings.TrimPrefix(plan, ","), err
	}
	return clauseOf(r, sites, h), nil
}

// planClause describes the plan of an event.
func (s *Section) planClause(r *pagekit.Request, plan appointment.Plan) (string, error) {
	name, err := s.clinicianName(r, plan.Clinician)
	text := pagekit.PlanText(plan, name)
	if err != nil || text == "" {
		return "", err
	}
	return ", " + text, nil
}

func clauseOf(r *pagekit.Request, sites []projections.Site, h history.Entry) string {
	who, at := pagekit.ActorName(r, h), func(t time.Time) string {
		return pagekit.TimeOfDay(t, r.Practice.Zone) + " on " + pagekit.Weekday(t, r.Practice.Zone)
	}
	switch e := h.Event.(type) {
	case appointment.Booked:
		return who + " booked this for " + at(e.At) + placeOf(sites, e.Site)
	case appointment.Moved:
		return who + " moved this to " + at(e.At) + placeOf(sites, e.Site)
	case appointment.Cancelled:
		return who + " cancelled this"
	case appointment.CalledIn:
		return who + " called the patient in" + roomName(sites, e)
	case appointment.CallInRemoved:
		if e.Reason == appointment.Cleared {
			return who + " cancelled the call-in"
		}
		return ""
	case appointment.ArrivalCleared:
		return who + " undid the arrival"
	case appointment.DidNotAttendCleared:
		return who + " undid that the patient did not attend"
	case appointment.Attended:
		return who + " started the consultation"
	}
	return who + " " + catalogue.Find(h.EventName()).Words
}

// placeOf names a site, if the practice has several.
func placeOf(sites []projections.Site, id site.ID) string {
	for _, of := range sites {
		if of.Site == id && len(sites) > 1 {
			return " at " + pagekit.Plain(of.Name)
		}
	}
	return ""
}

func roomName(sites []projections.Site, e appointment.CalledIn) string {
	for _, of := range sites {
		for _, room := range of.Rooms {
			if room.Room == e.Room {
				return " to " + pagekit.Plain(room.Name)
			}
		}
	}
	return ""
}
