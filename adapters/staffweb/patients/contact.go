package patients

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/projections/patientindex"
)

// contactTopic is the name of the page with a patient's contact details in the access record. It
// shows more than lists do, so no line of theirs covers it.
const contactTopic = "patient-contact"

// contactFields are the fields of contact details.
type contactFields struct{ Telephone, Email, NHSNumber pagekit.Field }

func contactFieldsOf(f pagekit.FormErrors, c patient.Contact) contactFields {
	field := func(id, label, hint, kind, value string) pagekit.Field {
		return pagekit.Field{ID: id, Label: label, Hint: hint, Kind: kind, Value: value, Fill: "off", Optional: true, Fault: f.Fault(id)}
	}
	return contactFields{
		field("telephone", "Telephone number", "For example 01632 960 001. Leave it empty if it is not known", "tel", c.Telephone),
		field("email", "Email address", "Leave it empty if it is not known", "email", c.Email),
		field("nhs-number", "NHS number", numberHint+". Leave it empty if it is not known", "text", c.NHSNumber),
	}
}

const numberHint = "10 digits, for example 485 777 3456"

// contactFaults are what to say of each refused detail, by its refusal, and its field.
var contactFaults = []struct {
	refusal *fault.Error
	field   string
	text    func(patient.Contact) string
}{
	{patient.ErrInvalidTelephone, "telephone", func(patient.Contact) string {
		return "Enter a telephone number with 5 to 15 digits, such as 01632 960 001"
	}},
	{patient.ErrInvalidEmail, "email", func(patient.Contact) string {
		return "Enter an email address in the correct format, such as name@example.com"
	}},
	{patient.ErrInvalidNHSNumber, "nhs-number", func(c patient.Contact) string { return numberFault(c.NHSNumber) }},
}

// numberFault describes the fault of a text that is no NHS number.
func numberFault(text string) string {
	if isNumber(text) {
		return "Check the NHS number: one of its digits is wrong"
	}
	return "Enter an NHS number with 10 digits, such as 485 777 3456"
}

// typedContact reads the details of a form: as they were typed and as they would be stored,
// with the faults.
func typedContact(r *pagekit.Request) (typed, parsed patient.Contact, faulty pagekit.FormErrors) {
	typed = patient.Contact{Telephone: strings.TrimSpace(r.Form.Get("telephone")), Email: strings.TrimSpace(r.Form.Get("email")), NHSNumber: strings.TrimSpace(r.Form.Get("nhs-number"))}
	parsed, refusals := typed.Parsed()
	for _, f := range contactFaults {
		if errors.Is(refusals, f.refusal) {
			faulty = faulty.With(f.field, f.text(typed))
		}
	}
	return typed, parsed, faulty
}

// shownContact is contact details as pages show them.
func shownContact(c patient.Contact) patient.Contact {
	c.NHSNumber = pagekit.FormatNHSNumber(c.NHSNumber)
	return c
}

// contactPage is the form of a patient's contact details.
type contactPage struct {
	pagekit.FormErrors
	subject
	contactFields
	Sharing     sharing
	Anyway      string // confirms that the number is right; "" if that is not asked
	Token, Seen string // the state that the page shows, so that no change is overwritten
}

func (s *Section) contactForm(r *pagekit.Request) error {
	w, err := s.findSubject(r)
	if err != nil {
		return err
	}
	if !s.isOpen(w) {
		return s.showClosed(r, w, http.StatusOK, pagekit.FormErrors{})
	}
	now, err := s.contactOf(r, w.ID)
	if err != nil {
		return err
	}
	return s.showContact(r, w, http.StatusOK, contactPage{Seen: contactSeen(w, now)}, shownContact(now))
}

func (s *Section) contactOf(r *pagekit.Request, id patient.ID) (patient.Contact, error) {
	found, err := s.Contacts.Find(r.Context(), r.Tenant, id)
	return found[id], err
}

// showContact shows the form with these details.
func (s *Section) showContact(r *pagekit.Request, w subject, status int, page contactPage, c patient.Contact) error {
	page.subject, page.Token, page.Seen = w, r.Token(w.purpose()), r.Token(page.Seen)
	page.contactFields = contactFieldsOf(page.FormErrors, c)
	s.RecordShown(r, contactTopic, w.ID)
	s.Show(r, pagekit.View{Template: templates["contact"], Status: status, Title: page.PageTitle("Change contact details"), Content: page})
	return nil
}

// contactSeen encodes the current details.
func contactSeen(w subject, c patient.Contact) string {
	return strings.Join([]string{w.purpose(), "contact", c.Telephone, c.Email, c.NHSNumber}, "\x00")
}

// changeContact changes the contact details, unless they have changed since the page or the
// record is closed to the member. It first shows other patients with the same NHS number.
func (s *Section) changeContact(r *pagekit.Request) error {
	id, _ := parse.SomeID(r.PathValue("patient"))
	seen, err := commands.Version(r.Context(), s.Desk.Store, patient.StreamOf(r.Tenant, patient.ID{UUID: id}))
	if err != nil {
		return err
	}
	w, err := s.findSubject(r)
	if err != nil {
		return err
	}
	typed, parsed, faulty := typedContact(r)
	show := func(status int, page contactPage) error { return s.showContact(r, w, status, page, typed) }
	if !s.isOpen(w) {
		return show(http.StatusForbidden, contactPage{FormErrors: pagekit.FormError("telephone", "Nothing was saved. This patient’s record is restricted and you do not have access.")})
	}
	now, err := s.contactOf(r, w.ID)
	if err != nil {
		return err
	}
	page := contactPage{Seen: contactSeen(w, now)}
	if !r.HasToken(w.purpose()) { // a colleague may have changed them meanwhile
		status, wrong := r.Unsent("telephone")
		page.FormErrors = wrong.With("telephone", "The details are now "+describedContact(now)+".")
		return show(status, page)
	}
	switch {
	case len(faulty.Faults) > 0:
		page.FormErrors = faulty
		return show(http.StatusBadRequest, page)
	case !r.Session.Owns(r.Form.Get("seen"), page.Seen):
		page.FormErrors = pagekit.FormError("telephone", "Nothing has been changed: a colleague has changed these details since you opened the page. They are now "+describedContact(now)+".")
		return show(http.StatusConflict, page)
	case parsed == now:
		return r.Redirect(w.At)
	}
	if parsed.NHSNumber != now.NHSNumber {
		if err := s.fillSharing(r, w, parsed, &page); err != nil {
			return err
		}
		if page.Anyway != "" {
			return show(http.StatusConflict, page)
		}
	}
	err = s.Desk.SetContactDetails(r.StaffContext(), commands.SetContactDetails{Tenant: r.Tenant, Patient: w.ID, Contact: parsed, Seen: seen})
	if errors.Is(err, patient.ErrChanged) {
		return s.changeContact(r) // another change came in between
	}
	if err != nil {
		return orNoPatient(err)
	}
	return r.Redirect(w.At + "?done=contact")
}

// fillSharing adds the other patients with the same NHS number to the page, and the token that
// saves it anyway. It adds nothing if the member has sent that token.
func (s *Section) fillSharing(r *pagekit.Request, w subject, c patient.Contact, page *contactPage) (err error) {
	anyway := sharedPurpose(w, c)
	if r.Session.Owns(r.Form.Get("anyway"), anyway) {
		return nil
	}
	if page.Sharing, err = s.sharing(r, w.Name, c.NHSNumber, w.ID); err != nil {
		return err
	}
	if len(page.Sharing.Rows) > 0 {
		page.Anyway = r.Token(anyway)
	}
	return nil
}

// sharedPurpose encodes the details that a member saves although another patient has the number.
func sharedPurpose(w subject, c patient.Contact) string { return contactSeen(w, c) + "\x00anyway" }

func describedContact(c patient.Contact) string {
	c = shownContact(c)
	known := []string{}
	for _, text := range []string{c.Telephone, c.Email, c.NHSNumber} {
		if text != "" {
			known = append(known, text)
		}
	}
	if len(known) == 0 {
		return "empty"
	}
	return strings.Join(known, ", ")
}

// sharing is the other patients with the NHS number of one.
type sharing struct {
	list
	Name    string // of the one
	Unknown bool   // they could not be looked for
}

// sharing finds the other patients with an NHS number, and adds them to the access record. It
// waits for the index of patients for a part of the page's time: a page that could not compare
// the numbers says so.
func (s *Section) sharing(r *pagekit.Request, name, nhsNumber string, except patient.ID) (shared sharing, err error) {
	if shared.Name = name; nhsNumber == "" {
		return shared, nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.Limit/4)
	defer cancel()
	found, err := s.PatientIndex.Sharing(ctx, r.Tenant, nhsNumber, except, maxDuplicates)
	if errors.Is(err, patientindex.ErrFull) || ctx.Err() != nil && r.Context().Err() == nil {
		shared.Unknown = true
		return shared, nil
	}
	shared.list = s.listOf(r, found)
	return shared, err
}
