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
	Date, Time string // as typed, or 2006-01-02 and 15:04
}

// DateField is the field of the day.
func (f slotFields) DateField() pagekit.Field {
	return pagekit.Field{ID: "date", Label: "Day", Kind: "date", Value: f.Date, Fill: "off", Fault: f.Fault("date")}
}

// TimeField is the field of the time.
func (f slotFields) TimeField() pagekit.Field {
	return pagekit.Field{ID: "time", Label: "Time", Kind: "time", Value: f.Time, Fill: "off", Fault: f.Fault("time")}
}

// fieldsOf are filled in with the typed values, or else with those of the appointment.
func fieldsOf(r *pagekit.Request, sites []projections.Site, a projections.Appointment, faults pagekit.FormErrors) slotFields {
	at := a.StartsAt.In(r.Practice.Zone)
	f := slotFields{FormErrors: faults, Sites: optionsOf(sites, a.Site), Date: at.Format(time.DateOnly), Time: at.Format("15:04")}
	if r.Form.Get("do") == "move" {
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
	date, clock, zone := strings.TrimSpace(r.Form.Get("date")), strings.TrimSpace(r.Form.Get("time")), r.Practice.Zone
	if date == "" {
		return at, fieldError("date", "Enter a date.")
	}
	day, _, ok := parse.Day(date, zone)
	if !ok {
		return at, fieldError("date", "Enter a real date, like "+s.Now().In(zone).Format(time.DateOnly)+".")
	}
	if date < s.Now().In(zone).Format(time.DateOnly) {
		return at, fieldError("date", "Choose today or a later day.")
	}
	if _, err := time.Parse("15:04", clock); err != nil {
		return at, fieldError("time", "Enter a time, like 14:30.")
	}
	at, ok = parse.Clock(date, clock, zone)
	if !ok {
		return at, fieldError("time", "Choose another time: the clocks skip "+clock+" on "+pagekit.Weekday(day, zone)+".")
	}
	return at, nil
}

// move moves the appointment to the place and time in the form.
func (s *Section) move(r *pagekit.Request, a projections.Appointment, seen int) error {
	to, err := s.readSlot(r, a.Site)
	if err != nil {
		return err
	}
	if err := s.check(r, a.Patient, a.Appointment, to); err != nil {
		return err
	}
	return s.Desk.MoveAppointment(r.StaffContext(), commands.MoveAppointment{Tenant: r.Tenant, Appointment: a.Appointment, Site: to.Site, At: to.At, Seen: seen})
}

// isMoved reports whether the appointment is at the place and time in the form.
func isMoved(a projections.Appointment, r *pagekit.Request) bool {
	at, ok := parse.Clock(r.Form.Get("date"), r.Form.Get("time"), r.Practice.Zone)
	named := r.Form.Get("site")
	return ok && at.Equal(a.StartsAt) && (named == "" || named == a.Site.String())
}
