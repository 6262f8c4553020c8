package day

import (
	"time"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// standings are statuses as people say them.
var standings = map[projections.Status]string{
	projections.StatusBooked:       "Expected",
	projections.StatusDidNotAttend: "Did not attend",
	projections.StatusAttended:     "Consultation started",
	projections.StatusCancelled:    "Cancelled",
}

// doneWords are what a page says after an act, by the act's name.
var doneWords = map[string]string{
	"book":    "The appointment is booked.",
	"arrived": "The patient is marked as arrived.",
	"call-in": "The patient is called in.",
	"clear":   "The patient is not called in any more.",
	"absent":  "The patient is marked as not attending.",
	"start":   "The consultation has started.",
	"move":    "The appointment is moved.",
	"cancel":  "The appointment is cancelled.",
}

// clock is a time of day on the practice's clocks.
func clock(at time.Time, zone *time.Location) string { return at.In(zone).Format("3:04pm") }

// dayWords is a day on the practice's calendar.
func dayWords(at time.Time, zone *time.Location) string {
	return at.In(zone).Format("Monday 2 January 2006")
}

// born is a birth date as people write it. What is no date stays as it is.
func born(date string) string {
	on, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return on.Format("2 January 2006")
}

// when is an instant on the practice's clocks: the time of today, otherwise with the day.
func (s *Section) when(v *frame.Visit, at time.Time) string {
	zone := v.Practice.Zone
	if at.In(zone).Format(time.DateOnly) == s.Now().In(zone).Format(time.DateOnly) {
		return clock(at, zone)
	}
	return clock(at, zone) + " on " + dayWords(at, zone)
}

// whoDid names who did something.
func whoDid(v *frame.Visit, h projections.Handled) string {
	switch {
	case isOwn(v, h):
		return "You"
	case h.By != "":
		return frame.Plain(h.By)
	case h.Actor.Kind == event.ByApplication:
		return "An application"
	}
	return "Somebody"
}

// isOwn reports whether who is signed in has done it.
func isOwn(v *frame.Visit, h projections.Handled) bool {
	return h.Actor.Kind != event.ByOperator && h.Actor.Member() == v.Session.Staff.UUID
}

// deed is what happened to an appointment, as a clause; "" for what says no more than the
// event before it.
func deed(v *frame.Visit, sites []projections.Site, h projections.Handled) string {
	who, at := whoDid(v, h), func(t time.Time) string { return clock(t, v.Practice.Zone) + " on " + dayWords(t, v.Practice.Zone) }
	switch e := h.Event.(type) {
	case appointment.Booked:
		return who + " booked this for " + at(e.At) + placeOf(sites, e.Site)
	case appointment.Moved:
		return who + " moved this to " + at(e.At) + placeOf(sites, e.Site)
	case appointment.Cancelled:
		return who + " cancelled this"
	case appointment.Arrived:
		return who + " marked the patient as arrived"
	case appointment.CalledIn:
		return who + " called the patient in" + roomName(sites, e)
	case appointment.CallInRemoved:
		if e.Reason == appointment.Cleared {
			return who + " cleared the call-in"
		}
	case appointment.DidNotAttend:
		return who + " marked the patient as not attending"
	case appointment.Attended:
		return who + " started the consultation"
	}
	return ""
}

// placeOf names a site, if the practice has several.
func placeOf(sites []projections.Site, id site.ID) string {
	for _, of := range sites {
		if of.Site == id && len(sites) > 1 {
			return " at " + frame.Plain(of.Name)
		}
	}
	return ""
}

func roomName(sites []projections.Site, e appointment.CalledIn) string {
	for _, of := range sites {
		for _, room := range of.Rooms {
			if room.Room == e.Room {
				return " to " + frame.Plain(room.Name)
			}
		}
	}
	return ""
}
