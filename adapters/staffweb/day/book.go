package day

import (
	"crypto/rand"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
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
	Plan       planFields
	Taken      takenPart
	Doubts     doubts
	Once       string // the key of this one booking
	Request    string // the request to return to; "" for none
	List       string // the query of its list
	Back       string // the address of the request, or of the patient
	Token      string
}

// bookForm asks for the time of an appointment.
func (s *Section) bookForm(r *pagekit.Request) error {
	return s.showBook(r, http.StatusOK, rand.Text(), pagekit.FormErrors{}, doubts{})
}

func (s *Section) showBook(r *pagekit.Request, status int, once string, faults pagekit.FormErrors, unsure doubts) error {
	about, name, err := s.readPatient(r)
	if err != nil {
		return err
	}
	sites, at, err := s.sites(r, site.ID{})
	if err != nil {
		return err
	}
	s.RecordShown(r, "book", about)
	content := bookPage{
		FormErrors: faults, Patient: about, Name: name.Name, Born: pagekit.FormatBirthDate(name.BirthDate), Doubts: unsure, Once: once, Token: r.Token(purpose), Back: r.Base() + "/patients/" + about.String(),
		To: slotFields{FormErrors: faults, Sites: optionsOf(sites, at.Site), Date: r.Form.Get("date"), Time: r.Form.Get("time")},
	}
	if !r.Form.Has("date") {
		content.To.Date = pagekit.Day(s.Now(), r.Practice.Zone)
	}
	if id, ok := requestOf(r); ok {
		content.Request, content.List = id.String(), r.Form.Get("list")
		content.Back = requestAddress(r, id, url.Values{})
	}
	if content.Plan, err = s.planFieldsOf(r, projections.Appointment{Plan: appointment.Plan{Clinician: r.Session.Place.Clinician}}, faults); err != nil {
		return err
	}
	with := readClinician(r)
	if !r.Form.Has("minutes") {
		with = r.Session.Place.Clinician
	}
	if content.Taken, err = s.takenOn(r, content.To, with, appointment.ID{}, bookAddress(r, about)); err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["book"], Status: status, Title: faults.PageTitle("Book an appointment"), Content: content})
	return nil
}

// readPatient is the patient in the form.
func (s *Section) readPatient(r *pagekit.Request) (about patient.ID, name projections.PatientName, err error) {
	id, ok := parse.ID(r.Form.Get("patient"))
	if !ok {
		return about, name, errNoPatient
	}
	about.UUID = id
	names, err := s.Patients(r, about)
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
func (s *Section) book(r *pagekit.Request) error {
	once := r.Form.Get("once")
	if about, ok := parse.ID(r.Form.Get("patient")); ok && r.Form.Get("do") == "look" { // at another day
		return r.Redirect(typedAddress(r, bookAddress(r, patient.ID{UUID: about})))
	}
	if !r.HasToken(purpose) {
		status, wrong := r.Unsent("date")
		return s.showBook(r, status, once, wrong, doubts{})
	}
	about, ok := parse.ID(r.Form.Get("patient"))
	if !ok || strings.TrimSpace(once) == "" {
		return pagekit.ErrUnreadable
	}
	slot, err := s.readSlot(r, site.ID{})
	var plan appointment.Plan
	if err == nil {
		plan, err = readPlan(r, plan)
	}
	if wrong, is := errors.AsType[fieldFault](err); is {
		return s.showBook(r, http.StatusBadRequest, once, wrong.FormErrors, doubts{})
	}
	if err != nil {
		return err
	}
	intent := commands.BookAppointment{Tenant: r.Tenant, Patient: patient.ID{UUID: about}, Site: slot.Site, At: slot.At, Plan: plan, Once: r.OnceKey(once)}
	err = s.check(r, intent.Patient, intent.ID(), slot, plan)
	if unsure, is := errors.AsType[doubts](err); is {
		return s.showBook(r, http.StatusConflict, once, pagekit.FormErrors{}, unsure)
	}
	if err != nil {
		return err
	}
	id, err := s.Desk.BookAppointment(r.StaffContext(), intent)
	if wrong, is := planFault(err); is {
		return s.showBook(r, http.StatusBadRequest, once, wrong, doubts{})
	}
	switch {
	case errors.Is(err, appointment.ErrBooked):
		return s.showBook(r, http.StatusConflict, rand.Text(), pagekit.FormError("date",
			"This form has booked an appointment already. Nothing more has been booked. Press the button again if you want another one."), doubts{})
	case errors.Is(err, patient.ErrUnknown):
		return errNoPatient
	case err != nil:
		return err
	}
	if asked, ok := requestOf(r); ok {
		return r.Redirect(requestAddress(r, asked, url.Values{"done": {"booked"}, "outcome": {string(request.AppointmentBooked)}}) + "#handle")
	}
	return r.Redirect(addressOf(r, slot.Site, slot.At, site.RoomID{}, staff.ID{}) + "&done=book#a-" + id.String())
}

// bookAddress is the address of the form for a patient.
func bookAddress(r *pagekit.Request, about patient.ID) string {
	query := url.Values{"patient": {about.String()}}
	for _, kept := range []string{"request", "list"} {
		if value := r.Form.Get(kept); value != "" {
			query.Set(kept, value)
		}
	}
	return r.Base() + "/day/book?" + query.Encode()
}

// requestOf is the request that the booking is for, and that it returns to.
func requestOf(r *pagekit.Request) (request.ID, bool) {
	id, ok := parse.SomeID(r.Form.Get("request"))
	return request.ID{UUID: id}, ok
}

// requestAddress is the address of a request in the list that it was opened from.
func requestAddress(r *pagekit.Request, id request.ID, more url.Values) string {
	query, _ := url.ParseQuery(r.Form.Get("list")) // invalid parts are left out
	maps.Copy(query, more)
	return r.Base() + "/requests/" + id.String() + "?" + query.Encode()
}
