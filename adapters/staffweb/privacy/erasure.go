package privacy

import (
	"frontdesk/adapters/staffweb/frame"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
)

// erasureView is what the page says of a patient's erasure.
type erasureView struct {
	Asked      bool
	ID         erasure.ID
	Basis      string
	Reason, By string
	From       string // when somebody else may confirm it
	Until      string
	Early      bool // it is too soon
	Own        bool // by whoever looks at the page, so somebody else has to confirm it
	Held       bool
	Extent     commands.Extent
	Bases      []basisChoice
}

// Reach says how far the erasure reaches.
func (erasureView) Reach() string { return erasure.Reach }

// basisChoice is a basis that an erasure may have.
type basisChoice struct {
	Basis  erasure.Basis
	Words  string
	Ticked bool
}

// basisWords are the bases as people say them.
var basisWords = map[erasure.Basis]string{
	erasure.RetentionEnded:     "The time for which they have to be kept has ended",
	erasure.RegisteredInError:  "They were registered in error",
	erasure.CourtOrder:         "A court has ordered it",
	erasure.UnlawfulProcessing: "The data should not have been processed",
	erasure.PracticeExit:       "The practice is leaving this service",
}

// addErasure adds how far the patient's erasure has come, and what keeps it.
func (s *Section) addErasure(v *frame.Visit, is standing, who *words, page *patientPage) (err error) {
	view := erasureView{Held: len(is.holds) > 0}
	for _, basis := range erasure.Bases() {
		view.Bases = append(view.Bases, basisChoice{basis, basisWords[basis], v.Form.Get("basis") == string(basis)})
	}
	page.Holds = is.holds
	if r := is.asked; r != nil {
		from := r.RequestedAt.Add(erasure.Soonest)
		view.Asked, view.ID, view.Basis, view.Reason, view.By = true, r.Erasure, basisWords[r.Basis], r.Reason, who.who(r.RequestedBy)
		view.From, view.Until = frame.Moment(from, v.Practice.Zone), frame.Moment(r.RequestedAt.Add(latest), v.Practice.Zone)
		view.Early, view.Own = s.Now().Before(from), r.RequestedBy.Member() == v.Session.Staff.UUID
		view.Extent, err = s.Desk.Erasures.ExtentOf(v.Context(), is.person(v.Tenant))
	}
	page.Erasure = view
	return err
}

// person is the patient as erasures name them.
func (is standing) person(tenant string) erasure.Person {
	return erasure.Person{Tenant: tenant, Kind: event.OfPatient, Holder: is.id.UUID}
}
