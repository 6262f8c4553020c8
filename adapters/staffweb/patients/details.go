package patients

import (
	"errors"
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/commands"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
)

// detailsPage is the form of a patient's details.
type detailsPage struct {
	frame.Faulty
	subject
	NameField, BornField frame.Field
	Token, Seen          string // the state that the page shows, so that no change is overwritten
}

// personFields are the fields of a patient.
func personFields(f frame.Faulty, name, born string) (nameField, bornField frame.Field) {
	return frame.Field{ID: "name", Label: "Full name", Kind: "text", Value: name, Fill: "off", Fault: f.Fault("name")},
		frame.Field{ID: "born", Label: "Date of birth", Hint: frame.BornHint + ". Leave it empty if it is not known", Kind: "text", Value: born, Fill: "off", Optional: true, Fault: f.Fault("born")}
}

func (s *Section) detailsForm(v *frame.Visit) error {
	w, err := s.about(v)
	if err != nil {
		return err
	}
	return s.showDetails(v, w, http.StatusOK, frame.Faulty{}, w.Name, w.Born)
}

func (s *Section) showDetails(v *frame.Visit, w subject, status int, faulty frame.Faulty, name, born string) error {
	page := detailsPage{Faulty: faulty, subject: w, Token: v.Token(w.purpose()), Seen: v.Token(seenOf(w))}
	page.NameField, page.BornField = personFields(faulty, name, born)
	s.Looked(v, topic, w.ID)
	s.Show(v, frame.View{Template: templates["details"], Status: status, Title: page.Titled("Change details"), Content: page})
	return nil
}

// seenOf encodes the current details.
func seenOf(w subject) string { return w.purpose() + "\x00seen\x00" + w.Name + "\x00" + w.BirthDate }

// changeDetails changes name and date of birth, unless they have changed since the
// page. Equal details are no change.
func (s *Section) changeDetails(v *frame.Visit) error {
	id, _ := parse.SomeID(v.Var("patient"))
	seen, err := commands.Seen(v.Context(), s.Desk.Store, patient.StreamOf(v.Tenant, patient.ID{UUID: id}))
	if err != nil {
		return err
	}
	w, err := s.about(v)
	if err != nil {
		return err
	}
	if !v.Owns(w.purpose()) {
		return frame.ErrStale
	}
	name, typed := strings.TrimSpace(v.Form.Get("name")), v.Form.Get("born")
	born, ok := frame.ReadBorn(typed)
	switch {
	case !ok:
		return s.showDetails(v, w, http.StatusBadRequest, frame.Wrong("born", frame.WrongBorn), name, typed)
	case !v.Session.Owns(v.Form.Get("seen"), seenOf(w)):
		return s.showDetails(v, w, http.StatusConflict, frame.Wrong("name",
			"Nothing has been changed: a colleague has changed these details since you opened the page. They are now "+described(w)+"."), name, typed)
	case name == w.Name && born == w.BirthDate:
		return v.GoTo(w.At)
	}
	err = s.Desk.ChangePatientDetails(v.AsStaff(), commands.ChangePatientDetails{Tenant: v.Tenant, Patient: w.ID, Name: name, BirthDate: born, Seen: seen})
	if errors.Is(err, patient.ErrChanged) {
		return s.changeDetails(v) // another change came in between
	}
	if errors.Is(err, patient.ErrNameless) {
		return s.showDetails(v, w, http.StatusBadRequest, frame.Wrong("name", patient.ErrNameless.Detail), name, typed)
	}
	if err != nil {
		return unknown(err)
	}
	return v.GoTo(w.At + "?done=details")
}

func described(w subject) string {
	if w.Born == "" {
		return w.Name + ", without a date of birth"
	}
	return w.Name + ", born on " + w.Born
}
