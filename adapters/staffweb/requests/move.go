package requests

import (
	"errors"
	"net/http"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/projections/history"
)

// movePage is the form to move a request to another patient.
type movePage struct {
	pagekit.FormErrors
	ID          request.ID
	Name, Born  string // of the current patient
	Find        string // the search text; "" for none
	FoundWords  string
	Found       []candidate
	Words       pagekit.Area
	Seen, Token string
	List        listed
}

// candidate is a patient that was found.
type candidate struct {
	Patient    patient.ID
	Name, Born string
	Chosen     bool
}

const candidatesShown = 20 // at most

// moveForm shows the current patient, and asks for a name.
func (s *Section) moveForm(r *pagekit.Request) error {
	found, err := s.find(r)
	if err != nil {
		return err
	}
	return s.ask(r, found, response{status: http.StatusOK})
}

// move finds patients, or moves the request to one of them.
func (s *Section) move(r *pagekit.Request) error {
	found, err := s.find(r)
	if err != nil {
		return err
	}
	typed, wrongFind := readTyped(r), pagekit.TooLong(r.Form.Get("find"), parse.MaxName)
	switch {
	case !r.HasToken(purpose(r)):
		status, wrong := r.Unsent("find")
		return s.ask(r, found, response{status: status, typed: typed, FormErrors: wrong})
	case wrongFind != "":
		return s.ask(r, found, response{status: http.StatusBadRequest, typed: typed, FormErrors: pagekit.FormError("find", wrongFind)})
	case r.Form.Get("do") == "find":
		return s.ask(r, found, response{status: http.StatusOK, typed: typed})
	case r.Form.Get("do") != "move":
		return pagekit.ErrUnreadable
	case len(unseen(r, found)) > 0:
		return s.showConflict(r, found, typed, pagekit.FormErrors{})
	}
	if err := s.checkAccess(r, found); err != nil {
		return s.showClosed(r, typed, err)
	}
	return s.moveTo(r, found, typed)
}

func (s *Section) moveTo(r *pagekit.Request, found history.Request, typed typed) error {
	to, ok := parse.SomeID(typed.to)
	if !ok {
		return s.ask(r, found, response{status: http.StatusBadRequest, typed: typed, FormErrors: pagekit.FormErrors{}.With("to", noPatient)})
	}
	err := s.Desk.ReLinkPatientRequest(r.StaffContext(), commands.ReLinkPatientRequest{
		Tenant: r.Tenant, Request: found.ID, Seen: found.Version, From: found.Patient, To: patient.ID{UUID: to}, Reason: typed.text,
	})
	switch {
	case err == nil:
		return r.Redirect(listedBy(r).addressOf(r, found.ID) + "&done=move")
	case errors.Is(err, patient.ErrUnknown):
		return s.ask(r, found, response{status: http.StatusBadRequest, typed: typed, FormErrors: pagekit.FormErrors{}.With("to", noPatient)})
	case errors.Is(err, request.ErrInvalidText):
		return s.ask(r, found, response{status: http.StatusBadRequest, typed: typed, FormErrors: pagekit.FormErrors{}.With("text", typed.faultText(request.ErrInvalidText))})
	}
	return s.showRefusal(r, typed, err)
}

// noPatient is the text if no patient of the practice was chosen.
const noPatient = "Choose one of the patients."

// ask shows the form, with the patients found. A search is a POST, so that no address
// contains a name.
func (s *Section) ask(r *pagekit.Request, found history.Request, response response) error {
	names, err := s.Patients(r, found.Patient)
	if err != nil {
		return err
	}
	name, known := names[found.Patient]
	if !known {
		return errNoRequest
	}
	content := movePage{
		FormErrors: response.FormErrors, ID: found.ID, Name: name.Name, Born: pagekit.FormatBirthDate(name.BirthDate), Seen: seenOf(found), Token: r.Token(purpose(r)), List: listedBy(r),
		Words: pagekit.Area{ID: "text", Label: "Reason for moving", Hint: readersHint, Value: response.typed.text, Fault: response.Fault("text")},
	}
	if err := s.search(r, found, response, &content); err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["patient"], Status: response.status, Title: content.PageTitle("Move the request to another patient"), Content: content})
	return nil
}

// search finds patients by the typed name, if any. The patients shown are in the access
// record; the typed text is not stored.
func (s *Section) search(r *pagekit.Request, of history.Request, response response, content *movePage) error {
	shown := []patient.ID{of.Patient}
	if content.Find = strings.TrimSpace(r.Form.Get("find")); r.HTTP.Method == http.MethodPost && content.Find != "" && pagekit.TooLong(content.Find, parse.MaxName) == "" {
		found, more, err := s.PatientIndex.Search(r.Context(), r.Tenant, content.Find, candidatesShown)
		if err != nil {
			return err
		}
		for _, f := range found {
			shown = append(shown, f.Patient)
			if f.Patient != of.Patient {
				content.Found = append(content.Found, candidate{f.Patient, f.Name, pagekit.FormatBirthDate(f.BirthDate), f.Patient.String() == response.typed.to})
			}
		}
		content.FoundWords = foundWords(len(content.Found), more)
	}
	s.RecordShown(r, "patients", shown...)
	return nil
}

func foundWords(n int, more bool) string {
	switch {
	case n == 0:
		return "No other patient found."
	case more:
		return pagekit.Counted(n, "patient") + " shown, and there are more. Enter more of the name."
	}
	return pagekit.Counted(n, "patient") + " found."
}
