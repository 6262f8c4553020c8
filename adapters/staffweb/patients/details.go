package patients

import (
	"errors"
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
)

// detailsPage is the form of a patient's details.
type detailsPage struct {
	pagekit.FormErrors
	subject
	NameField, BornField pagekit.Field
	Token, Seen          string // the state that the page shows, so that no change is overwritten
}

// personFields are the fields of a patient.
func personFields(f pagekit.FormErrors, name, born string) (nameField, bornField pagekit.Field) {
	return pagekit.Field{ID: "name", Label: "Full name", Kind: "text", Value: name, Fill: "off", Fault: f.Fault("name")},
		pagekit.Field{ID: "born", Label: "Date of birth", Hint: pagekit.BirthDateHint + ". Leave it empty if it is not known", Kind: "text", Value: born, Fill: "off", Optional: true, Fault: f.Fault("born")}
}

func (s *Section) detailsForm(r *pagekit.Request) error {
	w, err := s.findSubject(r)
	if err != nil {
		return err
	}
	return s.showDetails(r, w, http.StatusOK, pagekit.FormErrors{}, w.Name, w.Born)
}

func (s *Section) showDetails(r *pagekit.Request, w subject, status int, faulty pagekit.FormErrors, name, born string) error {
	page := detailsPage{FormErrors: faulty, subject: w, Token: r.Token(w.purpose()), Seen: r.Token(seenOf(w))}
	page.NameField, page.BornField = personFields(faulty, name, born)
	s.RecordShown(r, topic, w.ID)
	s.Show(r, pagekit.View{Template: templates["details"], Status: status, Title: page.PageTitle("Change details"), Content: page})
	return nil
}

// seenOf encodes the current details.
func seenOf(w subject) string { return w.purpose() + "\x00seen\x00" + w.Name + "\x00" + w.BirthDate }

// changeDetails changes name and date of birth, unless they have changed since the
// page. Equal details are no change.
func (s *Section) changeDetails(r *pagekit.Request) error {
	id, _ := parse.SomeID(r.PathValue("patient"))
	seen, err := commands.Version(r.Context(), s.Desk.Store, patient.StreamOf(r.Tenant, patient.ID{UUID: id}))
	if err != nil {
		return err
	}
	w, err := s.findSubject(r)
	if err != nil {
		return err
	}
	name, typed := strings.TrimSpace(r.Form.Get("name")), r.Form.Get("born")
	if !r.HasToken(w.purpose()) { // a colleague may have changed them meanwhile
		status, wrong := r.Unsent("name")
		return s.showDetails(r, w, status, wrong.With("name", "The details are now "+described(w)+"."), name, typed)
	}
	born, ok := pagekit.ParseBirthDate(typed, s.Now())
	long := pagekit.TooLong(name, parse.MaxName)
	switch {
	case long != "":
		return s.showDetails(r, w, http.StatusBadRequest, pagekit.FormError("name", long), name, typed)
	case !ok:
		return s.showDetails(r, w, http.StatusBadRequest, pagekit.FormError("born", pagekit.DateFault(typed, pagekit.BirthDateError)), name, typed)
	case born != w.BirthDate && patient.CheckBirth(born, s.Now()) != nil:
		return s.showDetails(r, w, http.StatusBadRequest, pagekit.FormError("born", patient.ErrImpossibleBirth.Detail), name, typed)
	case !r.Session.Owns(r.Form.Get("seen"), seenOf(w)):
		return s.showDetails(r, w, http.StatusConflict, pagekit.FormError("name",
			"Nothing has been changed: a colleague has changed these details since you opened the page. They are now "+described(w)+"."), name, typed)
	case name == w.Name && born == w.BirthDate:
		return r.Redirect(w.At)
	}
	err = s.Desk.ChangePatientDetails(r.StaffContext(), commands.ChangePatientDetails{Tenant: r.Tenant, Patient: w.ID, Name: name, BirthDate: born, Seen: seen})
	if errors.Is(err, patient.ErrChanged) {
		return s.changeDetails(r) // another change came in between
	}
	if errors.Is(err, patient.ErrNameless) {
		return s.showDetails(r, w, http.StatusBadRequest, pagekit.FormError("name", patient.ErrNameless.Detail), name, typed)
	}
	if err != nil {
		return orNoPatient(err)
	}
	return r.Redirect(w.At + "?done=details")
}

func described(w subject) string {
	if w.Born == "" {
		return w.Name + ", without a date of birth"
	}
	return w.Name + ", born on " + w.Born
}
