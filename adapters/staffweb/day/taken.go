package day

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/appointment"
	"frontdesk/domain/parse"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// takenPart shows which times of a day are taken: those of a clinician at all sites, with
// the times between them, or else those of a site. It names no patients.
type takenPart struct {
	Heading string // "" before a day is chosen
	Whose   string
	Times   []takenTime
	More    bool // there are more than are shown
}

// takenTime is a time that is taken or free.
type takenTime struct {
	At      string // "9:00am to 9:10am"
	What    string // "Dr Hughes, telephone"
	Address string // of the form with this time filled in; "" unless it is free
}

// takenShown limits the times of a day.
const takenShown = 100

// takenOn returns the times of the day, site and clinician in the form. The appointment is
// the one that moves; zero for a new one.
func (s *Section) takenOn(r *pagekit.Request, to slotFields, with staff.ID, moving appointment.ID, address string) (part takenPart, err error) {
	date, ok := pagekit.ParseDate(to.Date)
	if !ok {
		return part, nil
	}
	from, until, _ := parse.Day(date, r.Practice.Zone)
	part.Heading = pagekit.Weekday(from, r.Practice.Zone)
	var at projections.Site
	if n := slices.IndexFunc(to.Sites, chosen); n >= 0 {
		at.Site.UUID, _ = parse.SomeID(to.Sites[n].Value)
		at.Name = to.Sites[n].Name
	}
	found, err := s.Appointments.Between(r.Context(), r.Tenant, at.Site, staff.ID{}, from, until, takenShown+1)
	part.Whose = pagekit.Plain(at.Name)
	if with != (staff.ID{}) {
		found, err = s.Appointments.OfClinicianBetween(r.Context(), r.Tenant, with, from, until, takenShown+1)
		part.Whose, _ = s.clinicianName(r, with)
	}
	if err != nil {
		return part, err
	}
	if part.More = len(found) > takenShown; part.More {
		found = found[:takenShown]
	}
	found = slices.DeleteFunc(found, func(a projections.Appointment) bool { return !takes(a) })
	free := func(from, until time.Time) {
		if with != (staff.ID{}) && !part.More {
			part.Times = append(part.Times, freeTime(r, from, until, address))
		}
	}
	var end time.Time // of the listed ones so far; zero at the beginning of the day
	for _, a := range found {
		if a.StartsAt.After(end) {
			free(end, a.StartsAt)
		}
		part.Times = append(part.Times, takenTime{At: spanText(a, r.Practice.Zone), What: takenText(a, with, at, to.Sites, moving)})
		if until := endOf(a); until.After(end) {
			end = until
		}
	}
	if len(found) > 0 {
		free(end, time.Time{})
	}
	return part, nil
}

// takes reports whether an appointment takes its time.
func takes(a projections.Appointment) bool {
	return a.Status != projections.StatusCancelled && a.Status != projections.StatusDidNotAttend
}

// endOf is the end of an appointment. One whose length is open takes its minute.
func endOf(a projections.Appointment) time.Time { return endAt(a.StartsAt, a.Minutes) }

func endAt(start time.Time, minutes int) time.Time {
	return start.Add(time.Duration(max(minutes, 1)) * time.Minute)
}

// spanText is from when to when an appointment is.
func spanText(a projections.Appointment, zone *time.Location) string {
	if a.Minutes == 0 {
		return pagekit.TimeOfDay(a.StartsAt, zone)
	}
	return pagekit.TimeOfDay(a.StartsAt, zone) + " to " + pagekit.TimeOfDay(endOf(a), zone)
}

// takenText describes an appointment in the list, without its patient.
func takenText(a projections.Appointment, with staff.ID, at projections.Site, sites []pagekit.Option, moving appointment.ID) string {
	var parts []string
	if a.Appointment == moving {
		parts = append(parts, "this appointment")
	}
	if with == (staff.ID{}) && a.ClinicianName != "" {
		parts = append(parts, pagekit.Plain(a.ClinicianName))
	}
	if a.Kind != "" {
		parts = append(parts, strings.ToLower(pagekit.KindNames[a.Kind]))
	}
	if a.Site != at.Site {
		n := slices.IndexFunc(sites, func(o pagekit.Option) bool { return o.Value == a.Site.String() })
		if n >= 0 {
			parts = append(parts, pagekit.Plain(sites[n].Name))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "taken")
}

// freeTime is a free time, of which one end may be open.
func freeTime(r *pagekit.Request, from, until time.Time, address string) takenTime {
	zone := r.Practice.Zone
	free := takenTime{What: "free"}
	switch {
	case from.IsZero():
		free.At = "Until " + pagekit.TimeOfDay(until, zone)
		return free
	case until.IsZero():
		free.At = "From " + pagekit.TimeOfDay(from, zone)
	default:
		free.At = pagekit.TimeOfDay(from, zone) + " to " + pagekit.TimeOfDay(until, zone)
	}
	form := url.Values{"site": {r.Form.Get("site")}, "date": {r.Form.Get("date")}, "time": {pagekit.TimeOfDay(from, zone)}}
	for _, name := range planned {
		form.Set(name, r.Form.Get(name))
	}
	free.Address = address + "&" + form.Encode()
	return free
}

// clinicianName is the name of a member of staff of the practice; "" for another's.
func (s *Section) clinicianName(r *pagekit.Request, id staff.ID) (string, error) {
	name, err := s.Directory.Staff(r.Context(), r.Tenant, id.UUID)
	return pagekit.Plain(name), err
}
