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

func (s *Section) registerForm(v *pagekit.Request) error {
	return s.showRegister(v, http.StatusOK, registerPage{Made: newFormID(v, subject{})}, "", "")
}

func (s *Section) showRegister(v *pagekit.Request, status int, page registerPage, name, born string) error {
	page.NameField, page.BornField = personFields(page.FormErrors, name, born)
	page.Token = v.Token("register")
	s.Show(v, pagekit.View{Template: templates["register"], Status: status, Title: page.PageTitle("Register a patient"), Content: page})
	return nil
}

// register registers a patient, once for each form. It first shows possible duplicates.
func (s *Section) register(v *pagekit.Request) error {
	made := v.Form.Get("made")
	id, ok := parseFormID(v, subject{}, made)
	if !v.HasToken("register") || !ok {
		return pagekit.ErrStale
	}
	name, typed := strings.TrimSpace(v.Form.Get("name")), v.Form.Get("born")
	born, ok := pagekit.ParseBirthDate(typed)
	if !ok {
		return s.showRegister(v, http.StatusBadRequest, registerPage{Made: made, FormErrors: pagekit.FormError("born", pagekit.BirthDateError)}, name, typed)
	}
	if !v.Session.Owns(v.Form.Get("anyway"), duplicatePurpose(name, born)) {
		alike, err := s.findDuplicates(v, name, born)
		if err != nil {
			return err
		}
		if len(alike.Rows) > 0 {
			return s.showRegister(v, http.StatusConflict, registerPage{Made: made, List: alike, Anyway: v.Token(duplicatePurpose(name, born))}, name, typed)
		}
	}
	about, _ := parse.ID(id)
	_, err := s.Desk.RegisterPatient(v.StaffContext(), commands.RegisterPatient{Tenant: v.Tenant, Patient: patient.ID{UUID: about}, Name: name, BirthDate: born})
	if errors.Is(err, patient.ErrNameless) {
		return s.showRegister(v, http.StatusBadRequest, registerPage{Made: made, FormErrors: pagekit.FormError("name", patient.ErrNameless.Detail)}, name, typed)
	}
	if errors.Is(err, patient.ErrExists) {
		return s.showRegistered(v, patient.ID{UUID: about}, name, born, typed)
	}
	if err != nil {
		return orNoPatient(err)
	}
	return v.Redirect(pathOf(v, patient.ID{UUID: about}) + "?done=registered")
}

// showRegistered answers a form that has already registered a patient. Sent twice, it leads
// to the patient; sent with other details, it must not look as if these were
// registered.
func (s *Section) showRegistered(v *pagekit.Request, made patient.ID, name, born, typed string) error {
	names, err := s.Names.Of(v.Context(), v.Tenant, made)
	if err != nil {
		return err
	}
	if is, known := names[made]; !known || is == (projections.PatientName{Name: name, BirthDate: born}) {
		return v.Redirect(pathOf(v, made) + "?done=registered")
	}
	return s.showRegister(v, http.StatusConflict, registerPage{Made: newFormID(v, subject{}), FormErrors: pagekit.FormError("name",
		"This form has registered a patient already. Nobody more has been registered. Press the button again to register this one, too.")}, name, typed)
}

// duplicatePurpose encodes the details of a patient who is not one of the possible duplicates.
func duplicatePurpose(name, born string) string {
	return "register\x00anyway\x00" + name + "\x00" + born
}

// findDuplicates are possible duplicates. A practice that is too large for the index gets no
// warning.
func (s *Section) findDuplicates(v *pagekit.Request, name, born string) (l list, err error) {
	found, err := s.Book.Alike(v.Context(), v.Tenant, name, born, maxDuplicates)
	if errors.Is(err, projections.ErrBookFull) {
		return l, nil
	}
	var ids []patient.ID
	l.At = v.Base() + "/patients"
	for _, f := range found {
		l.Rows, ids = append(l.Rows, row{f.Patient, f.Name, pagekit.FormatBirthDate(f.BirthDate)}), append(ids, f.Patient)
	}
	if len(ids) > 0 {
		s.RecordShown(v, topic, ids...)
	}
	return l, err
}
