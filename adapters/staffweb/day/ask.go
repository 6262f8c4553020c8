package day

import (
	"net/http"
	"net/url"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// The pages that an action is done from, and that it returns to. Any other is the page of
// the appointment.
const (
	fromDay     = "day"
	fromPatient = "patient"
)

// question is what the page about one action asks.
type question struct{ Heading, Advice, Button string }

// questions are those of the actions, by their names in forms.
var questions = map[string]question{
	"start":  {"Start the consultation?", "Connected apps are notified. You cannot undo this.", "Start the consultation"},
	"cancel": {"Cancel this appointment?", "The time becomes free. You cannot undo this.", "Cancel the appointment"},
	"move":   {"Move this appointment", "Another time or site cancels any call-in and sets the appointment back to Booked.", "Move"},
}

// askPage is the page about one action.
type askPage struct {
	question
	appointmentPage
	Do     string
	Doubts doubts
	Room   string
	Taken  takenPart // for a move
}

// askAddress is the address of the page about one action.
func askAddress(r *pagekit.Request, a projections.Appointment, do string) string {
	query := url.Values{"ask": {do}}
	for _, kept := range []string{"from", "room"} {
		if value := r.Form.Get(kept); value != "" {
			query.Set(kept, value)
		}
	}
	return r.Base() + "/day/" + a.Appointment.String() + "?" + query.Encode()
}

// look shows the page about a move with the typed values, and the taken times of that day.
func (s *Section) look(r *pagekit.Request) error {
	found, err := s.find(r)
	if err != nil {
		return err
	}
	return r.Redirect(typedAddress(r, askAddress(r, found, "move")))
}

// ask shows the page about one action.
func (s *Section) ask(r *pagekit.Request, do string) error {
	return s.showAsk(r, do, response{status: http.StatusOK}, doubts{})
}

// showAsk shows the page about one action. If the action is not possible now, it shows the
// appointment.
func (s *Section) showAsk(r *pagekit.Request, do string, response response, unsure doubts) error {
	found, err := s.find(r)
	if err != nil {
		return err
	}
	content, err := s.contentOf(r, found, response)
	if err != nil {
		return err
	}
	asked, known := questions[do]
	if !known || !content.MayChange || acts[do].onDay && content.Early {
		return s.show(r, response)
	}
	page := askPage{question: asked, appointmentPage: content, Do: do, Doubts: unsure}
	if page.To.First = do == "move"; page.To.First {
		with := found.Clinician
		if r.Form.Has("minutes") {
			with = readClinician(r)
		}
		if page.Taken, err = s.takenOn(r, page.To, with, found.Appointment, askAddress(r, found, do)); err != nil {
			return err
		}
	}
	if room := readRoom(r); room != (site.RoomID{}) {
		page.Room = room.String()
	}
	s.Show(r, pagekit.View{Template: templates["ask"], Status: response.status, Title: response.PageTitle(asked.Heading), Content: page})
	return nil
}

// patientAddress is the address of the patient's page.
func patientAddress(r *pagekit.Request, a projections.Appointment) string {
	return r.Base() + "/patients/" + a.Patient.String()
}
