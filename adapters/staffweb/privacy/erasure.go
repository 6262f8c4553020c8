package privacy

import (
	"errors"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// erasureView is what the page says of a patient's erasure.
type erasureView struct {
	Asked      bool
	ID         erasure.ID
	Basis      string
	Reason, By string
	From       string // when somebody else may confirm it
	Until      string
	Early      bool   // it is too soon
	Own        bool   // by whoever looks at the page, so somebody else has to confirm it
	OpenedBy   string // the person behind the asker's account; "" if an operator asked
	Dependent  string // why the viewer cannot confirm it; "" if they can
	Operator   bool   // only an operator can be the second person
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
		if err := s.addSecond(v, *r, who, &view); err != nil {
			return err
		}
		view.Extent, err = s.Desk.Erasures.ExtentOf(v.Context(), is.person(v.Tenant))
	}
	page.Erasure = view
	return err
}

// addSecond adds what the second person has to know of the first, and whether the person
// who looks at the page can be the second.
func (s *Section) addSecond(v *frame.Visit, r erasure.Request, who *words, view *erasureView) error {
	if r.RequestedBy.Kind == event.ByStaff {
		account, err := s.Desk.Erasures.AccountOf(v.Context(), v.Tenant, r.RequestedBy.Member())
		if err != nil {
			return err
		}
		view.OpenedBy = who.who(account.OpenedBy)
	}
	if view.Own {
		independent, err := s.independentOfficers(v)
		view.Operator = !independent
		return err
	}
	err := commands.Independent(v.Context(), s.Desk.Erasures, v.Tenant, r, event.Staff(v.Session.Staff.UUID))
	if refusal, is := errors.AsType[*fault.Error](err); is && refusal.Kind == fault.Refused {
		view.Dependent, err = refusal.Detail, nil
	}
	return err
}

// mostOfficers bounds the privacy officers who are compared with each other.
const mostOfficers = 20

// independentOfficers reports whether two privacy officers of the practice could erase
// a patient together, if one of them asked now.
func (s *Section) independentOfficers(v *frame.Visit) (bool, error) {
	people, err := s.People.Of(v.Context(), v.Tenant)
	if err != nil {
		return false, err
	}
	var officers []staff.Account
	for _, p := range people {
		if !p.SignsIn || !p.Roles.Has(staff.PrivacyOfficer) || len(officers) == mostOfficers {
			continue
		}
		account, err := s.Desk.Erasures.AccountOf(v.Context(), v.Tenant, p.Staff.UUID)
		if err != nil {
			return false, err
		}
		officers = append(officers, account)
	}
	for n, a := range officers {
		for _, b := range officers[n+1:] {
			r := erasure.Request{RequestedBy: event.Staff(a.Member), RequestedAt: s.Now()}
			if staff.Independent(r, event.Staff(b.Member), a, b) == nil {
				return true, nil
			}
		}
	}
	return false, nil
}

// person is the patient as erasures name them.
func (is standing) person(tenant string) erasure.Person {
	return erasure.Person{Tenant: tenant, Kind: event.OfPatient, Holder: is.id.UUID}
}
