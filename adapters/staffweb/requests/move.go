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
	"frontdesk/projections"
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
}

// candidate is a patient that was found.
type candidate struct {
	Patient    patient.ID
	Name, Born string
	Chosen     bool
}

const (
	candidatesShown = 20  // at most
	longestFind     = 200 // characters: each name is compared with each word of them
)

// moveForm shows the current patient, and asks for a name.
func (s *Section) moveForm(v *pagekit.Request) error {
	found, err := s.find(v)
	if err != nil {
		return err
	}
	return s.ask(v, found, response{status: http.StatusOK})
}

// move finds patients, or moves the request to one of them.
func (s *Section) move(v *pagekit.Request) error {
	found, err := s.find(v)
	if err != nil {
		return err
	}
	typed, wrongFind := readTyped(v), pagekit.TooLong(v.Form.Get("find"), longestFind)
	switch {
	case !v.HasToken(purpose(v)):
		return s.ask(v, found, response{status: http.StatusForbidden, typed: typed, FormErrors: pagekit.FormErrors{}.With("find", pagekit.SignedInAgain)})
	case wrongFind != "":
		return s.ask(v, found, response{status: http.StatusBadRequest, typed: typed, FormErrors: pagekit.FormError("find", wrongFind)})
	case v.Form.Get("do") == "find":
		return s.ask(v, found, response{status: http.StatusOK, typed: typed})
	case v.Form.Get("do") != "move":
		return pagekit.ErrUnreadable
	case len(unseen(v, found)) > 0:
		return s.showConflict(v, found, typed, pagekit.FormErrors{})
	}
	if err := s.checkAccess(v, found); err != nil {
		return err
	}
	return s.moveTo(v, found, typed)
}

func (s *Section) moveTo(v *pagekit.Request, found projections.Request, typed typed) error {
	to, ok := parse.SomeID(typed.to)
	if !ok {
		return s.ask(v, found, response{status: http.StatusBadRequest, typed: typed, FormErrors: pagekit.FormErrors{}.With("to", noPatient)})
	}
	err := s.Desk.ReLinkPatientRequest(v.StaffContext(), commands.ReLinkPatientRequest{
		Tenant: v.Tenant, Request: found.ID, Seen: found.Version, From: found.Patient, To: patient.ID{UUID: to}, Reason: typed.text,
	})
	switch {
	case err == nil:
		return v.Redirect(v.Base() + "/requests/" + found.ID.String() + "?done=move")
	case errors.Is(err, patient.ErrUnknown):
		return s.ask(v, found, response{status: http.StatusBadRequest, typed: typed, FormErrors: pagekit.FormErrors{}.With("to", noPatient)})
	case errors.Is(err, request.ErrInvalidText):
		return s.ask(v, found, response{status: http.StatusBadRequest, typed: typed, FormErrors: pagekit.FormErrors{}.With("text", typed.wrong(request.ErrInvalidText))})
	}
	return s.showRefusal(v, typed, err)
}

// noPatient is the text if no patient of the practice was chosen.
const noPatient = "Choose one of the patients."

// ask shows the form, with the patients found. A search is a POST, so that no address
// contains a name.
func (s *Section) ask(v *pagekit.Request, found projections.Request, response response) error {
	names, err := s.Patients(v, found.Patient)
	if err != nil {
		return err
	}
	name, known := names[found.Patient]
	if !known {
		return errNoRequest
	}
	content := movePage{
		FormErrors: response.FormErrors, ID: found.ID, Name: name.Name, Born: pagekit.FormatBirthDate(name.BirthDate), Seen: seenOf(found), Token: v.Token(purpose(v)),
		Words: pagekit.Area{ID: "text", Label: "Why is it theirs?", Hint: readersHint, Value: response.typed.text, Fault: response.Fault("text")},
	}
	if err := s.search(v, found, response, &content); err != nil {
		return err
	}
	s.Show(v, pagekit.View{Template: templates["patient"], Status: response.status, Title: content.PageTitle("Move the request to another patient"), Content: content})
	return nil
}

// search finds patients by the typed name, if any. The patients shown are in the access
// record; the typed text is not stored.
func (s *Section) search(v *pagekit.Request, of projections.Request, response response, content *movePage) error {
	shown := []patient.ID{of.Patient}
	if content.Find = strings.TrimSpace(v.Form.Get("find")); v.HTTP.Method == http.MethodPost && content.Find != "" && pagekit.TooLong(content.Find, longestFind) == "" {
		found, more, err := s.Book.Search(v.Context(), v.Tenant, content.Find, candidatesShown)
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
	s.RecordShown(v, "patients", shown...)
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
