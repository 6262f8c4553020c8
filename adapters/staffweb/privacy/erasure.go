package privacy

import (
	"errors"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// erasureView is the part of the page about a patient's erasure.
type erasureView struct {
	Asked      bool
	ID         erasure.ID
	Basis      string
	Reason, By string
	From       string // when another person may confirm it
	Until      string
	Early      bool   // it is too soon to confirm it
	Own        bool   // the viewer asked for it, so another person has to confirm it
	OpenedBy   string // the person behind the asker's account; "" if an operator asked
	Dependent  string // why the viewer cannot confirm it; "" if they can
	Operator   bool   // only an operator can be the second person
	Held       bool
	Extent     commands.Extent
	Bases      []basisChoice
}

// Reach describes the scope of the erasure.
func (erasureView) Reach() string { return erasure.Reach }

// basisChoice is one basis to choose from.
type basisChoice struct {
	Basis  erasure.Basis
	Words  string
	Ticked bool
}

// addErasure adds the state of the patient's erasure, and its holds.
func (s *Section) addErasure(r *pagekit.Request, state dataState, actors *actorNames, page *patientPage) (err error) {
	view := erasureView{Held: len(state.holds) > 0}
	for _, basis := range erasure.Bases() {
		view.Bases = append(view.Bases, basisChoice{basis, basis.Words(), r.Form.Get("basis") == string(basis)})
	}
	page.Holds = state.holds
	if asked := state.asked; asked != nil {
		from := asked.RequestedAt.Add(erasure.Soonest)
		view.Asked, view.ID, view.Basis, view.Reason, view.By = true, asked.Erasure, asked.Basis.Words(), asked.Reason, actors.actor(asked.RequestedBy)
		view.From, view.Until = pagekit.Moment(from, r.Practice.Zone), pagekit.Moment(asked.RequestedAt.Add(latest), r.Practice.Zone)
		view.Early, view.Own = s.Now().Before(from), asked.RequestedBy.Member() == r.Session.Staff.UUID
		if err := s.addSecond(r, *asked, actors, &view); err != nil {
			return err
		}
		view.Extent, err = s.Desk.Erasures.ExtentOf(r.Context(), state.person(r.Tenant))
	}
	page.Erasure = view
	return err
}

// addSecond adds the facts about the first person that the second one needs, and whether
// the viewer can be the second person.
func (s *Section) addSecond(r *pagekit.Request, asked erasure.Request, actors *actorNames, view *erasureView) error {
	if asked.RequestedBy.Kind == event.ByStaff {
		account, err := s.Desk.Erasures.AccountOf(r.Context(), r.Tenant, asked.RequestedBy.Member())
		if err != nil {
			return err
		}
		view.OpenedBy = actors.actor(account.OpenedBy)
	}
	if view.Own {
		independent, err := s.independentOfficers(r)
		view.Operator = !independent
		return err
	}
	err := commands.Independent(r.Context(), s.Desk.Erasures, r.Tenant, asked.RequestedBy, asked.RequestedAt, event.Staff(r.Session.Staff.UUID))
	if refusal, ok := errors.AsType[*fault.Error](err); ok && refusal.Kind == fault.Refused {
		view.Dependent, err = refusal.Detail, nil
	}
	return err
}

// mostOfficers limits the number of privacy officers that are compared.
const mostOfficers = 20

// independentOfficers reports whether two privacy officers of the practice could erase
// a patient together, if one of them asked now.
func (s *Section) independentOfficers(r *pagekit.Request) (bool, error) {
	people, err := s.People.List(r.Context(), r.Tenant)
	if err != nil {
		return false, err
	}
	var officers []staff.Account
	for _, p := range people {
		if !p.SignsIn || !p.Roles.Has(staff.PrivacyOfficer) || len(officers) == mostOfficers {
			continue
		}
		account, err := s.Desk.Erasures.AccountOf(r.Context(), r.Tenant, p.Staff.UUID)
		if err != nil {
			return false, err
		}
		officers = append(officers, account)
	}
	for n, a := range officers {
		for _, b := range officers[n+1:] {
			asked := erasure.Request{RequestedBy: event.Staff(a.Member), RequestedAt: s.Now()}
			if staff.Independent(asked.RequestedBy, asked.RequestedAt, event.Staff(b.Member), a, b) == nil {
				return true, nil
			}
		}
	}
	return false, nil
}

// person is the patient in the form that erasures use.
func (state dataState) person(tenant string) erasure.Person {
	return erasure.Person{Tenant: tenant, Kind: event.OfPatient, Holder: state.id.UUID}
}
