package day

import (
	"cmp"
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/appointment"
	"frontdesk/domain/parse"
	"frontdesk/projections"
)

// errNone is the answer about an appointment that the practice does not have, that is
// of an erased patient, or whose identifier is invalid.
var errNone = pagekit.NoSuch("appointment", "Go back to Appointments and look for it there.")

// response is the response to a submitted form, with its typed values.
type response struct {
	status int
	pagekit.FormErrors
	done string // the last action; "" for none
}

// appointmentPage is one appointment.
type appointmentPage struct {
	pagekit.FormErrors
	row
	Done    string
	Undo    *undoForm // nil if the last action cannot be undone
	From    string    // the page to return to after an action; "" for this one
	Back    string    // the address of that page, or of the day
	Home    string    // the name of the page at Back
	Place   string
	Room    pagekit.Choice
	To      slotFields
	Plan    planFields
	History []entry
	Token   string
}

// entry is one line of the history.
type entry struct{ What, At string }

// appointment shows one appointment.
func (s *Section) appointment(r *pagekit.Request) error {
	if do := r.Form.Get("ask"); do != "" {
		return s.ask(r, do)
	}
	return s.show(r, response{status: http.StatusOK, done: doneTexts[r.Form.Get("done")]})
}

func (s *Section) show(r *pagekit.Request, response response) error {
	found, err := s.find(r)
	if err != nil {
		return err
	}
	page, err := s.contentOf(r, found, response)
	if err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["appointment"], Status: response.status, Title: response.PageTitle("Appointment"), Content: page})
	return nil
}

// find reads the appointment in the address.
func (s *Section) find(r *pagekit.Request) (projections.Appointment, error) {
	id, ok := parse.ID(r.PathValue("appointment"))
	if !ok {
		return projections.Appointment{}, errNone
	}
	found, err := s.Appointments.Find(r.Context(), r.Tenant, appointment.ID{UUID: id})
	if errors.Is(err, appointment.ErrUnknown) {
		return found, errNone
	}
	return found, err
}

func (s *Section) contentOf(r *pagekit.Request, found projections.Appointment, response response) (page appointmentPage, err error) {
	names, err := s.Patients(r, found.Patient)
	if err != nil {
		return page, err
	}
	name, known := names[found.Patient]
	if !known {
		return page, errNone
	}
	sites, err := s.Sites.List(r.Context(), r.Tenant)
	if err != nil {
		return page, err
	}
	s.RecordShown(r, "appointment", found.Patient)
	at := sites[max(0, indexOf(sites, found.Site))]
	room, _ := roomAt(at, roomOf(r))
	page = appointmentPage{
		FormErrors: response.FormErrors, row: s.rowOf(r, at, found, name), Done: response.done, Back: addressOf(r, found.Site, found.StartsAt, room, withOf(r)), Home: "appointments",
		Place: at.Name, Room: roomChoice(at, cmp.Or(found.Room, room), response.Fault("room")), To: fieldsOf(r, sites, found, response.FormErrors), Token: r.Token(purpose),
	}
	switch page.From = r.Form.Get("from"); page.From {
	case fromPatient:
		page.Back, page.Home = patientAddress(r, found), "the patient"
	case fromDay:
	default:
		page.From = ""
	}
	if page.Plan, err = s.planFieldsOf(r, found, response.FormErrors); err != nil {
		return page, err
	}
	if page.History, err = s.historyOf(r, sites, found); err != nil {
		return page, err
	}
	if response.done != "" {
		page.Undo, err = s.undoOf(r, page.From, page.row)
	}
	return page, err
}

// historyOf is the events of an appointment, oldest first.
func (s *Section) historyOf(r *pagekit.Request, sites []projections.Site, of projections.Appointment) (history []entry, err error) {
	happened, err := s.Histories.Find(r.Context(), r.Tenant, of.Appointment)
	for _, h := range happened {
		what, err := s.eventClause(r, sites, h)
		if err != nil {
			return nil, err
		}
		if what != "" {
			history = append(history, entry{what, s.When(r, h.At)})
		}
	}
	return history, err
}
