package day

import (
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/parse"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// slotFields are the fields of an appointment's place and time.
type slotFields struct {
	pagekit.FormErrors
	Sites      []pagekit.Option
	Date, Time string // as typed
	First      bool   // the cursor begins at the day
}

// DateField is the field of the day.
func (f slotFields) DateField() pagekit.Field {
	return pagekit.Field{ID: "date", Label: "Day", Hint: pagekit.DateHint, Kind: "text", Value: f.Date, Fill: "off", Fault: f.Fault("date"), First: f.First}
}

// TimeField is the field of the time.
func (f slotFields) TimeField() pagekit.Field {
	return pagekit.Field{ID: "time", Label: "Time", Hint: pagekit.TimeHint, Kind: "text", Value: f.Time, Fill: "off", Fault: f.Fault("time")}
}

// fieldsOf are filled in with the typed values, or else with those of the appointment.
func fieldsOf(r *pagekit.Request, sites []projections.Site, a projections.Appointment, faults pagekit.FormErrors) slotFields {
	zone := r.Practice.Zone
	f := slotFields{FormErrors: faults, Sites: optionsOf(sites, a.Site), Date: pagekit.Day(a.StartsAt, zone), Time: pagekit.TimeOfDay(a.StartsAt, zone)}
	if r.Form.Has("date") {
		f.Date, f.Time = r.Form.Get("date"), r.Form.Get("time")
		if id, ok := parse.SomeID(r.Form.Get("site")); ok {
			f.Sites = optionsOf(sites, site.ID{UUID: id})
		}
	}
	return f
}

// fieldFault is the faults of a form, as an error.
type fieldFault struct{ pagekit.FormErrors }

// Error returns the first fault.
func (f fieldFault) Error() string { return f.Faults[0].Text }

func fieldError(field, text string) error { return fieldFault{pagekit.FormError(field, text)} }

// readSlot reads the place and time of an appointment.
func (s *Section) readSlot(r *pagekit.Request, instead site.ID) (slot appointment.Slot, err error) {
	_, at, err := s.sites(r, instead)
	if err != nil {
		return slot, err
	}
	slot.Site = at.Site
	slot.At, err = s.readTime(r)
	return slot, err
}

func (s *Section) readTime(r *pagekit.Request) (at time.Time, err error) {
	typed, zone := strings.TrimSpace(r.Form.Get("date")), r.Practice.Zone
	date, isDate := pagekit.ParseDate(typed)
	clock, isTime := pagekit.ParseTime(r.Form.Get("time"))
	switch {
	case !isDate:
		return at, fieldError("date", pagekit.DateFault(typed, pagekit.DateError))
	case date < s.Today(r):
		return at, fieldError("date", "Choose today or a later day")
	case !isTime:
		return at, fieldError("time", pagekit.TimeError)
	}
	at, ok := parse.Clock(date, clock, zone)
	if !ok {
		day, _, _ := parse.Day(date, zone)
		return at, fieldError("time", "Choose another time: the clocks go forward on "+pagekit.Weekday(day, zone)+", and skip this one")
	}
	return at, nil
}

// move moves the appointment to the place and time in the form.
func (s *Section) move(r *pagekit.Request, a projections.Appointment, seen int) error {
	to, err := s.readSlot(r, a.Site)
	if err != nil {
		return err
	}
	plan, err := readPlan(r, a.Plan)
	if err != nil {
		return err
	}
	if err := s.check(r, a.Patient, a.Appointment, to, plan); err != nil {
		return err
	}
	err = s.Desk.MoveAppointment(r.StaffContext(), commands.MoveAppointment{Tenant: r.Tenant, Appointment: a.Appointment, Site: to.Site, At: to.At, Plan: &plan, Seen: seen})
	if wrong, is := planFault(err); is {
		return fieldFault{wrong}
	}
	return err
}

// isMoved reports whether the appointment is at the place and time in the form.
func isMoved(a projections.Appointment, r *pagekit.Request) bool {
	date, isDate := pagekit.ParseDate(r.Form.Get("date"))
	clock, isTime := pagekit.ParseTime(r.Form.Get("time"))
	at, ok := parse.Clock(date, clock, r.Practice.Zone)
	named := r.Form.Get("site")
	plan, err := readPlan(r, a.Plan)
	return err == nil && plan == a.Plan && isDate && isTime && ok && at.Equal(a.StartsAt) && (named == "" || named == a.Site.String())
}
