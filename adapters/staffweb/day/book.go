package day

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// errNoPatient is the answer about a patient that the practice does not have, or no longer
// has.
var errNoPatient = pagekit.NoSuch("patient", "Find the patient first, then book from their page.")

// bookPage is the form that books.
type bookPage struct {
	pagekit.Faulty
	Patient    patient.ID
	Name, Born string
	To         slotFields
	Once       string // the key of this one booking
	Token      string
}

// bookForm asks for the time of an appointment.
func (s *Section) bookForm(v *pagekit.Visit) error {
	return s.showBook(v, http.StatusOK, rand.Text(), pagekit.Faulty{})
}

func (s *Section) showBook(v *pagekit.Visit, status int, once string, faults pagekit.Faulty) error {
	about, name, err := s.patientIn(v)
	if err != nil {
		return err
	}
	sites, at, err := s.sites(v, site.ID{})
	if err != nil {
		return err
	}
	s.Looked(v, "book", about)
	content := bookPage{
		Faulty: faults, Patient: about, Name: name.Name, Born: pagekit.Born(name.BirthDate), Once: once, Token: v.Token(purpose),
		To: slotFields{Faulty: faults, Sites: optionsOf(sites, at.Site), Date: v.Form.Get("date"), Time: v.Form.Get("time")},
	}
	if !v.Form.Has("date") {
		content.To.Date = s.Now().In(v.Practice.Zone).Format(time.DateOnly)
	}
	s.Show(v, pagekit.View{Template: templates["book"], Status: status, Title: faults.Titled("Book an appointment"), Content: content})
	return nil
}

// patientIn is the patient in the form.
func (s *Section) patientIn(v *pagekit.Visit) (about patient.ID, name projections.PatientName, err error) {
	id, ok := parse.ID(v.Form.Get("patient"))
	if !ok {
		return about, name, errNoPatient
	}
	about.UUID = id
	names, err := s.Patients(v, about)
	if err != nil {
		return about, name, err
	}
	name, known := names[about]
	if !known {
		return about, name, errNoPatient
	}
	return about, name, nil
}

// book books the appointment in the form, once (rule 3).
func (s *Section) book(v *pagekit.Visit) error {
	once := v.Form.Get("once")
	if !v.Owns(purpose) {
		return s.showBook(v, http.StatusForbidden, once, pagekit.Wrong("date", pagekit.SignedInAgain))
	}
	about, ok := parse.ID(v.Form.Get("patient"))
	if !ok || strings.TrimSpace(once) == "" {
		return pagekit.ErrUnreadable
	}
	slot, err := s.slotIn(v, site.ID{})
	if wrong, is := errors.AsType[fieldFault](err); is {
		return s.showBook(v, http.StatusBadRequest, once, wrong.Faulty)
	}
	if err != nil {
		return err
	}
	id, err := s.Desk.BookAppointment(v.AsStaff(), commands.BookAppointment{
		Tenant: v.Tenant, Patient: patient.ID{UUID: about}, Site: slot.Site, At: slot.At, Once: v.Once(once),
	})
	switch {
	case errors.Is(err, appointment.ErrBooked):
		return s.showBook(v, http.StatusConflict, rand.Text(), pagekit.Wrong("date",
			"This form has booked an appointment already. Nothing more has been booked. Press the button again if you want another one."))
	case errors.Is(err, patient.ErrUnknown):
		return errNoPatient
	case err != nil:
		return err
	}
	return v.GoTo(addressOf(v, slot.Site, slot.At, site.RoomID{}) + "&done=book#a-" + id.String())
}
