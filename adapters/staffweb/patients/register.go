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
	List                 list   // possible duplicates
	Anyway               string // confirms that they are other people; "" if that is not asked
	Made, Token          string
}

const maxDuplicates = 10

func (s *Section) registerForm(r *pagekit.Request) error {
	return s.showRegister(r, http.StatusOK, registerPage{Made: newFormID(r, subject{})}, "", "")
}

func (s *Section) showRegister(r *pagekit.Request, status int, page registerPage, name, born string) error {
	page.NameField, page.BornField = personFields(page.FormErrors, name, born)
	page.Token = r.Token("register")
	s.Show(r, pagekit.View{Template: templates["register"], Status: status, Title: page.PageTitle("Register a patient"), Content: page})
	return nil
}

// register registers a patient, once for each form. It first shows possible duplicates.
func (s *Section) register(r *pagekit.Request) error {
	made := r.Form.Get("made")
	id, ok := parseFormID(r, subject{}, made)
	name, typed := strings.TrimSpace(r.Form.Get("name")), r.Form.Get("born")
	if !r.HasToken("register") || !ok {
		status, wrong := r.Unsent("name")
		return s.showRegister(r, status, registerPage{Made: newFormID(r, subject{}), FormErrors: wrong}, name, typed)
	}
	born, ok := pagekit.ParseBirthDate(typed, s.Now())
	if !ok {
		return s.showRegister(r, http.StatusBadRequest, registerPage{Made: made, FormErrors: pagekit.FormError("born", pagekit.DateFault(typed, pagekit.BirthDateError))}, name, typed)
	}
	if err := patient.CheckBirth(born, s.Now()); err != nil {
		return s.showRegister(r, http.StatusBadRequest, registerPage{Made: made, FormErrors: pagekit.FormError("born", patient.ErrImpossibleBirth.Detail)}, name, typed)
	}
	if long := pagekit.TooLong(name, parse.MaxName); long != "" {
		return s.showRegister(r, http.StatusBadRequest, registerPage{Made: made, FormErrors: pagekit.FormError("name", long)}, name, typed)
	}
	if !r.Session.Owns(r.Form.Get("anyway"), duplicatePurpose(name, born)) {
		alike, err := s.findDuplicates(r, name, born)
		if err != nil {
			return err
		}
		if len(alike.Rows) > 0 {
			return s.showRegister(r, http.StatusConflict, registerPage{Made: made, List: alike, Anyway: r.Token(duplicatePurpose(name, born))}, name, typed)
		}
	}
	about, _ := parse.ID(id)
	_, err := s.Desk.RegisterPatient(r.StaffContext(), commands.RegisterPatient{Tenant: r.Tenant, Patient: patient.ID{UUID: about}, Name: name, BirthDate: born})
	if errors.Is(err, patient.ErrNameless) {
		return s.showRegister(r, http.StatusBadRequest, registerPage{Made: made, FormErrors: pagekit.FormError("name", patient.ErrNameless.Detail)}, name, typed)
	}
	if errors.Is(err, patient.ErrExists) {
		return s.showRegistered(r, patient.ID{UUID: about}, name, born, typed)
	}
	if err != nil {
		return orNoPatient(err)
	}
	return r.Redirect(pathOf(r, patient.ID{UUID: about}) + "?done=registered")
}

// showRegistered answers a form that has already registered a patient. Sent twice, it leads
// to the patient; sent with other details, it must not look as if these were
// registered.
func (s *Section) showRegistered(r *pagekit.Request, made patient.ID, name, born, typed string) error {
	names, err := s.Names.Find(r.Context(), r.Tenant, made)
	if err != nil {
		return err
	}
	if is, known := names[made]; !known || is == (projections.PatientName{Name: name, BirthDate: born}) {
		return r.Redirect(pathOf(r, made) + "?done=registered")
	}
	return s.showRegister(r, http.StatusConflict, registerPage{Made: newFormID(r, subject{}), FormErrors: pagekit.FormError("name",
		"This form has registered a patient already. Nobody more has been registered. Press the button again to register this one, too.")}, name, typed)
}

// duplicatePurpose encodes the details of a patient who is not one of the possible
// duplicates.
func duplicatePurpose(name, born string) string {
	return "register\x00anyway\x00" + name + "\x00" + born
}

// findDuplicates are possible duplicates. A practice that is too large for the index gets
// no warning.
func (s *Section) findDuplicates(r *pagekit.Request, name, born string) (l list, err error) {
	found, err := s.PatientIndex.Alike(r.Context(), r.Tenant, name, born, maxDuplicates)
	if errors.Is(err, patientindex.ErrFull) {
		return l, nil
	}
	var ids []patient.ID
	l.At = r.Base() + "/patients"
	for _, f := range found {
		l.Rows, ids = append(l.Rows, row{f.Patient, f.Name, pagekit.FormatBirthDate(f.BirthDate)}), append(ids, f.Patient)
	}
	if len(ids) > 0 {
		s.RecordShown(r, topic, ids...)
	}
	return l, err
}
