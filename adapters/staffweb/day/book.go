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
	pagekit.FormErrors
	Patient    patient.ID
	Name, Born string
	To         slotFields
	Once       string // the key of this one booking
	Token      string
}

// bookForm asks for the time of an appointment.
func (s *Section) bookForm(v *pagekit.Request) error {
	return s.showBook(v, http.StatusOK, rand.Text(), pagekit.FormErrors{})
}

func (s *Section) showBook(v *pagekit.Request, status int, once string, faults pagekit.FormErrors) error {
	about, name, err := s.readPatient(v)
	if err != nil {
		return err
	}
	sites, at, err := s.sites(v, site.ID{})
	if err != nil {
		return err
	}
	s.RecordShown(v, "book", about)
	content := bookPage{
		FormErrors: faults, Patient: about, Name: name.Name, Born: pagekit.FormatBirthDate(name.BirthDate), Once: once, Token: v.Token(purpose),
		To: slotFields{FormErrors: faults, Sites: optionsOf(sites, at.Site), Date: v.Form.Get("date"), Time: v.Form.Get("time")},
	}
	if !v.Form.Has("date") {
		content.To.Date = s.Now().In(v.Practice.Zone).Format(time.DateOnly)
	}
	s.Show(v, pagekit.View{Template: templates["book"], Status: status, Title: faults.PageTitle("Book an appointment"), Content: content})
	return nil
}

// readPatient is the patient in the form.
func (s *Section) readPatient(v *pagekit.Request) (about patient.ID, name projections.PatientName, err error) {
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
func (s *Section) book(v *pagekit.Request) error {
	once := v.Form.Get("once")
	if !v.HasToken(purpose) {
		return s.showBook(v, http.StatusForbidden, once, pagekit.FormError("date", pagekit.SignedInAgain))
	}
	about, ok := parse.ID(v.Form.Get("patient"))
	if !ok || strings.TrimSpace(once) == "" {
		return pagekit.ErrUnreadable
	}
	slot, err := s.readSlot(v, site.ID{})
	if wrong, is := errors.AsType[fieldFault](err); is {
		return s.showBook(v, http.StatusBadRequest, once, wrong.FormErrors)
	}
	if err != nil {
		return err
	}
	id, err := s.Desk.BookAppointment(v.StaffContext(), commands.BookAppointment{
		Tenant: v.Tenant, Patient: patient.ID{UUID: about}, Site: slot.Site, At: slot.At, Once: v.OnceKey(once),
	})
	switch {
	case errors.Is(err, appointment.ErrBooked):
		return s.showBook(v, http.StatusConflict, rand.Text(), pagekit.FormError("date",
			"This form has booked an appointment already. Nothing more has been booked. Press the button again if you want another one."))
	case errors.Is(err, patient.ErrUnknown):
		return errNoPatient
	case err != nil:
		return err
	}
	return v.Redirect(addressOf(v, slot.Site, slot.At, site.RoomID{}) + "&done=book#a-" + id.String())
}
