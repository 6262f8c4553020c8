package patients

import (
	"errors"
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/projections"
	"frontdesk/projections/patientindex"
)

// registerPage is the form to register a patient.
type registerPage struct {
	pagekit.FormErrors
	NameField, BornField pagekit.Field
	contactFields
	List        list    // possible duplicates
	Sharing     sharing // of the NHS number
	Anyway      string  // confirms that they are other people; "" if that is not asked
	Made, Token string
}

const maxDuplicates = 10

// newcomer is the details of a patient as they were typed.
type newcomer struct {
	name, born string
	contact    patient.Contact
}

func (s *Section) registerForm(r *pagekit.Request) error {
	return s.showRegister(r, http.StatusOK, registerPage{Made: newFormID(r, subject{})}, newcomer{})
}

func (s *Section) showRegister(r *pagekit.Request, status int, page registerPage, typed newcomer) error {
	page.NameField, page.BornField = personFields(page.FormErrors, typed.name, typed.born)
	page.contactFields = contactFieldsOf(page.FormErrors, typed.contact)
	page.Token = r.Token("register")
	s.Show(r, pagekit.View{Template: templates["register"], Status: status, Title: page.PageTitle("Register a patient"), Content: page})
	return nil
}

// register registers a patient, once for each form. It first shows possible duplicates.
func (s *Section) register(r *pagekit.Request) error {
	made := r.Form.Get("made")
	id, ok := parseFormID(r, subject{}, made)
	typedContact, contact, wrongContact := typedContact(r)
	typed := newcomer{strings.TrimSpace(r.Form.Get("name")), r.Form.Get("born"), typedContact}
	show := func(status int, page registerPage) error { return s.showRegister(r, status, page, typed) }
	if !r.HasToken("register") || !ok {
		status, wrong := r.Unsent("name")
		return show(status, registerPage{Made: newFormID(r, subject{}), FormErrors: wrong})
	}
	born, wrong := s.checkPerson(typed)
	if wrong.Faults = append(wrong.Faults, wrongContact.Faults...); len(wrong.Faults) > 0 {
		return show(http.StatusBadRequest, registerPage{Made: made, FormErrors: wrong})
	}
	if anyway := duplicatePurpose(typed.name, born, contact.NHSNumber); !r.Session.Owns(r.Form.Get("anyway"), anyway) {
		page := registerPage{Made: made, Anyway: r.Token(anyway)}
		var err error
		if page.List, err = s.findDuplicates(r, typed.name, born); err != nil {
			return err
		}
		if page.Sharing, err = s.sharing(r, typed.name, contact.NHSNumber, patient.ID{}); err != nil {
			return err
		}
		if len(page.List.Rows)+len(page.Sharing.Rows) > 0 {
			return show(http.StatusConflict, page)
		}
	}
	about, _ := parse.ID(id)
	_, err := s.Desk.RegisterPatient(r.StaffContext(), commands.RegisterPatient{Tenant: r.Tenant, Patient: patient.ID{UUID: about}, Name: typed.name, BirthDate: born, Contact: contact})
	if errors.Is(err, patient.ErrNameless) {
		return show(http.StatusBadRequest, registerPage{Made: made, FormErrors: pagekit.FormError("name", patient.ErrNameless.Detail)})
	}
	if errors.Is(err, patient.ErrExists) {
		return s.showRegistered(r, patient.ID{UUID: about}, typed, born, contact)
	}
	if err != nil {
		return orNoPatient(err)
	}
	return r.Redirect(pathOf(r, patient.ID{UUID: about}) + "?done=registered")
}

// checkPerson returns the date of birth as it is stored, and the faults of name and date.
func (s *Section) checkPerson(typed newcomer) (born string, wrong pagekit.FormErrors) {
	if long := pagekit.TooLong(typed.name, parse.MaxName); long != "" {
		wrong = wrong.With("name", long)
	}
	born, ok := pagekit.ParseBirthDate(typed.born, s.Now())
	switch {
	case !ok:
		wrong = wrong.With("born", pagekit.DateFault(typed.born, pagekit.BirthDateError))
	case patient.CheckBirth(born, s.Now()) != nil:
		wrong = wrong.With("born", patient.ErrImpossibleBirth.Detail)
	}
	return born, wrong
}

// showRegistered answers a form that has already registered a patient. Sent twice, it leads
// to the patient; sent with other details, it must not look as if these were
// registered.
func (s *Section) showRegistered(r *pagekit.Request, made patient.ID, typed newcomer, born string, contact patient.Contact) error {
	names, err := s.Names.Find(r.Context(), r.Tenant, made)
	if err != nil {
		return err
	}
	reached, err := s.contactOf(r, made)
	if err != nil {
		return err
	}
	if is, known := names[made]; !known || is == (projections.PatientName{Name: typed.name, BirthDate: born}) && reached == contact {
		return r.Redirect(pathOf(r, made) + "?done=registered")
	}
	return s.showRegister(r, http.StatusConflict, registerPage{Made: newFormID(r, subject{}), FormErrors: pagekit.FormError("name",
		"This form has registered a patient already. No other patient was registered. To register this one as well, press the button again.")}, typed)
}

// duplicatePurpose encodes the details of a patient who is not one of the possible
// duplicates.
func duplicatePurpose(name, born, nhsNumber string) string {
	return "register\x00anyway\x00" + name + "\x00" + born + "\x00" + nhsNumber
}

// findDuplicates are possible duplicates. A practice that is too large for the index gets
// no warning.
func (s *Section) findDuplicates(r *pagekit.Request, name, born string) (l list, err error) {
	found, err := s.PatientIndex.Alike(r.Context(), r.Tenant, name, born, maxDuplicates)
	if errors.Is(err, patientindex.ErrFull) {
		return l, nil
	}
	return s.listOf(r, found), err
}

// listOf lists patients that the index has found, and adds them to the access record.
func (s *Section) listOf(r *pagekit.Request, found []patientindex.Match) (l list) {
	var ids []patient.ID
	l.At = r.Base() + "/patients"
	for _, f := range found {
		l.Rows, ids = append(l.Rows, row{f.Patient, f.Name, pagekit.FormatBirthDate(f.BirthDate)}), append(ids, f.Patient)
	}
	if len(ids) > 0 {
		s.RecordShown(r, topic, ids...)
	}
	return l
}
