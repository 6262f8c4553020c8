package privacy

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// latest is how long a request for an erasure can be confirmed.
const latest = erasure.Latest

// standing is how a patient's data stand, by the patient's own stream.
type standing struct {
	id         patient.ID
	patient    patient.Patient
	restricted bool
	allowed    []staff.ID
	asked      *erasure.Request // nil if nobody has asked for an erasure that can still be confirmed
	holds      []erasure.Hold   // that have not been lifted
	version    int
}

// ofPatient hands the patient of the address to a page. Whom the practice does not have, or
// has erased, is unknown.
func (s *Section) ofPatient(page func(*frame.Visit, standing) error) frame.Page {
	return func(v *frame.Visit) error {
		id, ok := parse.ID(v.Var("patient"))
		if !ok {
			return errNobody
		}
		return s.confirmed("privacy/patients/"+id.String(), func(v *frame.Visit) error {
			is, err := s.standing(v, patient.ID{UUID: id})
			if err != nil {
				return err
			}
			return page(v, is)
		})(v)
	}
}

var errNobody = frame.NoSuch("patient", "Go back to Privacy and look for them there.")

// standing reads a patient's stream, in which nothing has to be opened.
func (s *Section) standing(v *frame.Visit, id patient.ID) (standing, error) {
	history, err := s.Desk.Store.Load(v.Context(), patient.StreamOf(v.Tenant, id))
	if err != nil {
		return standing{}, err
	}
	is := standing{id: id, version: len(history)}
	for _, r := range history {
		is.patient = is.patient.Apply(r)
		is = is.after(r)
	}
	if is.patient.Known() != nil {
		return is, errNobody
	}
	if is.asked != nil && s.Now().After(is.asked.RequestedAt.Add(latest)) {
		is.asked = nil
	}
	return is, nil
}

// after returns how the data stand after an event.
func (is standing) after(happened event.Event) standing {
	switch e := happened.(type) {
	case patient.RecordRestricted:
		is.restricted, is.allowed = true, e.Staff
	case patient.RestrictionLifted:
		is.restricted, is.allowed = false, nil
	case patient.ErasureRequested:
		is.asked = &e.Request
	case patient.ErasureWithdrawn:
		is.asked = nil
	case patient.ErasureHeld:
		is.holds = append(is.holds, e.Hold)
	case patient.ErasureHoldLifted:
		is.holds = slices.DeleteFunc(is.holds, func(h erasure.Hold) bool { return h.Hold == e.Hold.Hold })
	}
	return is
}

// seen stands for all that an act depends on.
func (is standing) seen() string {
	return fmt.Sprintf("privacy-seen\x00%s %d", is.id, is.version)
}

// purpose is what the forms of the page are good for.
func (is standing) purpose() string { return "privacy\x00" + is.id.String() }

// patientPage is what the page about one patient shows.
type patientPage struct {
	frame.Faulty
	Patient     patient.ID
	Name, Birth string
	Done        string // what has just been done; "" for nothing
	Restricted  bool
	Allowed     []string
	Members     []memberChoice
	Erasure     erasureView
	Holds       []erasure.Hold
	typed       url.Values // what was sent, to be sent again; nil for nothing
	Lines       []lineRow
	OlderLines  string
	Traces      []traceRow
	OlderTraces string
	Further     bool // one of the lists does not begin with the newest
	Token, Seen string
}

// Line is a field for a reason. What was typed there stands in it again.
func (p patientPage) Line(id, label string) frame.Field {
	return frame.Field{
		ID: id, Label: label, Hint: "One line of at most 200 characters. It is kept for ever, so name nobody.",
		Kind: "text", Fill: "off", Value: p.typed.Get(id), Fault: p.Fault(id),
	}
}

// memberChoice is a member of staff who may be let see a restricted record.
type memberChoice struct {
	ID     staff.ID
	Name   string
	Ticked bool
}

// patientDone is what the page says after an act, by the word in its address.
var patientDone = map[string]string{
	"restrict": "The record has been restricted. From now on only those who are named below see it.",
	"lift":     "The restriction has been lifted. All staff who see patients see the record again.",
	"ask":      "You have asked for the erasure. Somebody else has to confirm it.",
	"withdraw": "The request for the erasure has been withdrawn.",
	"hold":     "The data are kept. They cannot be erased until the hold is lifted.",
	"release":  "The hold has been lifted.",
}

// patient shows a patient.
func (s *Section) patient(v *frame.Visit, is standing) error {
	return s.showPatient(v, http.StatusOK, is, patientPage{Done: patientDone[v.Form.Get("done")]})
}

func (s *Section) showPatient(v *frame.Visit, status int, is standing, page patientPage) error {
	names, err := s.named(v, "privacy-patient", []patient.ID{is.id})
	if err != nil {
		return err
	}
	who, err := s.words(v)
	if err != nil {
		return err
	}
	page.Patient, page.Name, page.Birth = is.id, names.of(is.id), names.born(is.id)
	page.Restricted, page.Allowed = is.restricted, who.membersOf(is.allowed)
	page.Token, page.Seen = v.Token(is.purpose()), v.Token(is.seen())
	for _, fill := range []func(*frame.Visit, standing, *words, *patientPage) error{s.addMembers, s.addErasure, s.addLines, s.addTraces} {
		if err := fill(v, is, who, &page); err != nil {
			return err
		}
	}
	if who.failed != nil {
		return who.failed
	}
	s.Show(v, frame.View{Template: templates["patient"], Status: status, Title: page.Titled(page.Name), Content: page})
	return nil
}

// addMembers lists those who can be let see the record: whoever sees patients.
func (s *Section) addMembers(v *frame.Visit, is standing, _ *words, page *patientPage) error {
	people, err := s.People.Of(v.Context(), v.Tenant)
	if err != nil {
		return err
	}
	for _, p := range people {
		ticked := slices.Contains(is.allowed, p.Staff)
		if p.Active && (p.Roles.May(staff.SeePatients) || ticked) {
			page.Members = append(page.Members, memberChoice{p.Staff, p.Name, ticked})
		}
	}
	return nil
}

// number is the idx behind which a list goes on; zero for its beginning.
func number(v *frame.Visit, name string) (int64, error) {
	if v.R.Method != http.MethodGet || !v.Form.Has(name) {
		return 0, nil
	}
	n, err := strconv.ParseInt(v.Form.Get(name), 10, 64)
	if err != nil || n < 1 {
		return 0, frame.ErrUnreadable
	}
	return n, nil
}
