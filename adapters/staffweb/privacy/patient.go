package privacy

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// latest is the time in which a request for an erasure can be confirmed.
const latest = erasure.Latest

// dataState is the state of a patient's data, from the patient's stream.
type dataState struct {
	id         patient.ID
	patient    patient.Patient
	restricted bool
	allowed    []staff.ID
	asked      *erasure.Request // nil if no request for an erasure can be confirmed
	holds      []erasure.Hold   // those that were not lifted
	version    int
}

// ofPatient passes the patient in the address to a page. Patients of other practices and
// erased ones are unknown.
func (s *Section) ofPatient(page func(*pagekit.Request, dataState) error) pagekit.Page {
	return func(r *pagekit.Request) error {
		id, ok := parse.ID(r.PathValue("patient"))
		if !ok {
			return errNoPatient
		}
		return s.confirmed("privacy/patients/"+id.String(), func(r *pagekit.Request) error {
			state, err := s.dataState(r, patient.ID{UUID: id})
			if err != nil {
				return err
			}
			return page(r, state)
		})(r)
	}
}

var errNoPatient = pagekit.NoSuch("patient", "Go back to Privacy and look for them there.")

// dataState reads a patient's stream. It decrypts nothing.
func (s *Section) dataState(r *pagekit.Request, id patient.ID) (dataState, error) {
	history, err := s.Desk.Store.Load(r.Context(), patient.StreamOf(r.Tenant, id))
	if err != nil {
		return dataState{}, err
	}
	state := dataState{id: id, version: len(history)}
	for _, happened := range history {
		state.patient = state.patient.Apply(happened)
		state = state.after(happened)
	}
	if state.patient.Known() != nil {
		return state, errNoPatient
	}
	if state.asked != nil && s.Now().After(state.asked.RequestedAt.Add(latest)) {
		state.asked = nil
	}
	return state, nil
}

// after returns the state after an event.
func (state dataState) after(happened event.Event) dataState {
	switch e := happened.(type) {
	case patient.RecordRestricted:
		state.restricted, state.allowed = true, e.Staff
	case patient.RestrictionLifted:
		state.restricted, state.allowed = false, nil
	case patient.ErasureRequested:
		state.asked = &e.Request
	case patient.ErasureWithdrawn:
		state.asked = nil
	case patient.ErasureHeld:
		state.holds = append(state.holds, e.Hold)
	case patient.ErasureHoldLifted:
		state.holds = slices.DeleteFunc(state.holds, func(h erasure.Hold) bool { return h.Hold == e.Hold.Hold })
	}
	return state
}

// seen encodes everything that an action depends on.
func (state dataState) seen() string {
	return fmt.Sprintf("privacy-seen\x00%s %d", state.id, state.version)
}

// purpose is the purpose of the page's form tokens.
func (state dataState) purpose() string { return "privacy\x00" + state.id.String() }

// patientPage is the page about one patient.
type patientPage struct {
	pagekit.FormErrors
	Patient     patient.ID
	Name, Birth string
	NHSNumber   string // "" if it is not known
	Done        string // the last action; "" for none
	Restricted  bool
	Allowed     []string
	Members     []memberChoice
	Erasure     erasureView
	Holds       []erasure.Hold
	typed       url.Values // the submitted values, to fill the form again; nil for none
	History     historyPart
	Token, Seen string
}

// Line is a field for a reason, with the typed text.
func (p patientPage) Line(id, label string) pagekit.Field {
	return pagekit.Field{
		ID: id, Label: label, Hint: "Up to 200 characters. This is kept permanently. Do not include names.",
		Kind: "text", Fill: "off", Value: p.typed.Get(id), Fault: p.Fault(id),
	}
}

// memberChoice is a member of staff who can be given access to a restricted record.
type memberChoice struct {
	ID     staff.ID
	Name   string
	Ticked bool
}

// patientDone maps the word in the page's address to its text about the last action.
var patientDone = map[string]string{
	"restrict": "The record has been restricted. From now on only those who are named below see it.",
	"lift":     "The restriction has been lifted. All staff who see patients see the record again.",
	"ask":      "You have asked for the erasure. Somebody else has to confirm it.",
	"withdraw": "The request for the erasure has been withdrawn.",
	"hold":     "The data are kept. They cannot be erased until the hold is lifted.",
	"release":  "The hold has been lifted.",
}

// patient shows a patient.
func (s *Section) patient(r *pagekit.Request, state dataState) error {
	return s.showPatient(r, http.StatusOK, state, patientPage{Done: patientDone[r.Form.Get("done")]})
}

func (s *Section) showPatient(r *pagekit.Request, status int, state dataState, page patientPage) error {
	names, err := s.named(r, "privacy-patient", []patient.ID{state.id})
	if err != nil {
		return err
	}
	actors, err := s.actorNames(r)
	if err != nil {
		return err
	}
	page.Patient, page.Name, page.Birth = state.id, names.name(state.id), names.birthDate(state.id)
	contacts, err := s.Contacts.Find(r.Context(), r.Tenant, state.id)
	if err != nil {
		return err
	}
	page.NHSNumber = pagekit.FormatNHSNumber(contacts[state.id].NHSNumber)
	page.Restricted, page.Allowed = state.restricted, actors.membersOf(state.allowed)
	page.Token, page.Seen = r.Token(state.purpose()), r.Token(state.seen())
	for _, fill := range []func(*pagekit.Request, dataState, *actorNames, *patientPage) error{s.addMembers, s.addErasure, s.addHistory} {
		if err := fill(r, state, actors, &page); err != nil {
			return err
		}
	}
	if actors.failed != nil {
		return actors.failed
	}
	if status == http.StatusOK && len(page.Faults) > 0 { // of the history's filter
		status = http.StatusBadRequest
	}
	s.Show(r, pagekit.View{Template: templates["patient"], Status: status, Title: page.PageTitle("Data of a patient"), Content: page})
	return nil
}

// addMembers lists those who can be given access to the record: all who may see patients.
func (s *Section) addMembers(r *pagekit.Request, state dataState, _ *actorNames, page *patientPage) error {
	people, err := s.People.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	for _, p := range people {
		ticked := slices.Contains(state.allowed, p.Staff)
		if p.Active && (p.Roles.May(staff.SeePatients) || ticked) {
			page.Members = append(page.Members, memberChoice{p.Staff, p.Name, ticked})
		}
	}
	return nil
}
