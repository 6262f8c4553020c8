package day

import (
	"strconv"
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// doubts are why a time may be a slip. The member can confirm them: there are reasons to
// see a patient twice, or on a Sunday.
type doubts struct {
	Texts  []string
	Anyway string // confirms exactly these
}

// Error returns the first doubt.
func (d doubts) Error() string { return d.Texts[0] }

// check returns [doubts], if it has any that the form does not confirm. The appointment is
// the one that moves; zero for a new one.
func (s *Section) check(r *pagekit.Request, about patient.ID, moving appointment.ID, to appointment.Slot, plan appointment.Plan) error {
	texts, err := s.doubtsAbout(r, about, moving, to)
	if err != nil {
		return err
	}
	busy, err := s.overlaps(r, moving, to, plan)
	texts = append(texts, busy...)
	if err != nil || len(texts) == 0 {
		return err
	}
	confirms := purpose + "\x00anyway\x00" + to.Site.String() + "\x00" + to.At.UTC().Format(time.RFC3339) + "\x00" + plan.Clinician.String() + strconv.Itoa(plan.Minutes) + "\x00" + strings.Join(texts, "\x00")
	if r.Session.Owns(r.Form.Get("anyway"), confirms) {
		return nil
	}
	return doubts{texts, r.Token(confirms)}
}

func (s *Section) doubtsAbout(r *pagekit.Request, about patient.ID, moving appointment.ID, to appointment.Slot) (texts []string, err error) {
	zone := r.Practice.Zone
	on := pagekit.TimeOfDay(to.At, zone) + " on " + pagekit.Weekday(to.At, zone)
	minute := to.At.Truncate(time.Minute)
	same, err := s.Appointments.OfPatientBetween(r.Context(), r.Tenant, about, minute, minute.Add(time.Minute))
	if err != nil {
		return nil, err
	}
	for _, other := range same {
		if other.Appointment != moving {
			texts = append(texts, "The patient already has an appointment at "+on+".")
			break
		}
	}
	receptions, err := s.Availability.Receptions(r.Context(), r.Tenant)
	if err != nil {
		return nil, err
	}
	if receptions.IsClosed(to.At) {
		texts = append(texts, "The practice is closed at "+on+".")
	}
	if to.At.After(s.Now().AddDate(1, 0, 0)) {
		texts = append(texts, on+" is more than a year ahead.")
	}
	return texts, nil
}

// overlapsNamed limits the doubts about other appointments of the clinician.
const overlapsNamed = 3

// overlaps names the clinician's other appointments at that time.
func (s *Section) overlaps(r *pagekit.Request, moving appointment.ID, to appointment.Slot, plan appointment.Plan) (texts []string, err error) {
	if plan.Clinician == (staff.ID{}) {
		return nil, nil
	}
	end := endAt(to.At, plan.Minutes)
	near, err := s.Appointments.OfClinicianBetween(r.Context(), r.Tenant, plan.Clinician, to.At.Add(-appointment.MaxMinutes*time.Minute), end, takenShown)
	if err != nil {
		return nil, err
	}
	for _, other := range near {
		if other.Appointment == moving || !endOf(other).After(to.At) || len(texts) == overlapsNamed {
			continue
		}
		word := " at "
		if other.Minutes > 0 {
			word = " from "
		}
		texts = append(texts, pagekit.Plain(other.ClinicianName)+" has another appointment"+word+spanText(other, r.Practice.Zone)+".")
	}
	return texts, nil
}
