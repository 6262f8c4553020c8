package privacy

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// action is an action of a privacy officer on a patient's data.
type action struct {
	field string // of the page; a refusal is shown there
	do    func(*Section, *pagekit.Request, dataState) error
}

// actions are the actions by their names in forms.
func actions() map[string]action {
	return map[string]action{
		"restrict": {"restrict", (*Section).restrict},
		"lift": {"restrict", func(s *Section, r *pagekit.Request, state dataState) error {
			return s.Desk.RestrictPatientRecord(r.StaffContext(), commands.RestrictPatientRecord{Tenant: r.Tenant, Patient: state.id, Seen: state.version})
		}},
		"ask": {"reason", func(s *Section, r *pagekit.Request, state dataState) error {
			_, err := s.Desk.ErasePatient(r.StaffContext(), commands.ErasePatient{
				Tenant: r.Tenant, Patient: state.id, Basis: erasure.Basis(r.Form.Get("basis")), Reason: r.Form.Get("reason"),
			})
			return err
		}},
		"withdraw": {"withdrawal", func(s *Section, r *pagekit.Request, state dataState) error {
			return s.Desk.WithdrawErasure(r.StaffContext(), commands.WithdrawErasure{
				Person: state.person(r.Tenant), Erasure: erasure.ID{UUID: idIn(r, "erasure")}, Reason: r.Form.Get("withdrawal"),
			})
		}},
		"hold": {"hold", func(s *Section, r *pagekit.Request, state dataState) error {
			_, err := s.Desk.HoldErasure(r.StaffContext(), commands.HoldErasure{Tenant: r.Tenant, Patient: state.id, Reason: r.Form.Get("hold")})
			return err
		}},
		"release": {"holds", func(s *Section, r *pagekit.Request, state dataState) error {
			return s.Desk.LiftErasureHold(r.StaffContext(), commands.LiftErasureHold{
				Tenant: r.Tenant, Patient: state.id, Hold: erasure.HoldID{UUID: idIn(r, "which")}, Reason: r.Form.Get("release-" + r.Form.Get("which")),
			})
		}},
		"confirm": {"erasure", (*Section).erase},
	}
}

// idIn is an identifier in the form; zero for none.
func idIn(r *pagekit.Request, name string) uuid.UUID {
	id, _ := parse.ID(r.Form.Get(name))
	return id
}

// act runs an action of a privacy officer, unless the patient's data have changed since
// the page was shown.
func (s *Section) act(r *pagekit.Request, state dataState) error {
	chosen, ok := actions()[r.Form.Get("do")]
	switch {
	case !r.HasToken(state.purpose()):
		status, wrong := r.Unsent(chosen.field)
		return s.showPatient(r, status, state, patientPage{typed: r.Form, FormErrors: wrong})
	case !ok:
		return pagekit.ErrUnreadable
	case !r.Session.Owns(r.Form.Get("seen"), state.seen()):
		return s.showConflict(r, state, chosen.field)
	}
	if err := chosen.do(s, r, state); err != nil {
		return s.showRefusal(r, state, chosen.field, err)
	}
	if r.Form.Get("do") == "confirm" {
		return r.Redirect(r.Base() + "/privacy/erasures/" + idIn(r, "erasure").String() + "?done=erased")
	}
	return r.Redirect(r.Base() + "/privacy/patients/" + state.id.String() + "?done=" + r.Form.Get("do"))
}

// showConflict shows the current state of the patient, after a change by someone else.
func (s *Section) showConflict(r *pagekit.Request, state dataState, field string) error {
	return s.showPatient(r, http.StatusConflict, state, patientPage{typed: r.Form, FormErrors: pagekit.FormError(field,
		"Nothing has been changed: someone has changed something about this patient since you opened the page. Look at it again.")})
}

// showRefusal shows why a rule refuses an action.
func (s *Section) showRefusal(r *pagekit.Request, state dataState, field string, err error) error {
	refusal, ok := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(err, patient.ErrUnknown):
		return errNoPatient
	case errors.Is(err, patient.ErrChanged):
		state, err := s.dataState(r, state.id)
		if err != nil {
			return err
		}
		return s.showConflict(r, state, field)
	case !ok || refusal.Kind == fault.Unavailable:
		return err
	}
	return s.showPatient(r, http.StatusBadRequest, state, patientPage{typed: r.Form, FormErrors: pagekit.FormError(field, refusal.Detail)})
}

// errNoReader refuses a restriction that would leave no one with access to the record.
var errNoReader = fault.New(fault.Invalid, "nobody-chosen", "Choose who may see the record.")

// restrict limits access to the record to the ticked members of staff.
func (s *Section) restrict(r *pagekit.Request, state dataState) error {
	people, err := s.People.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	var usernames []string
	for _, id := range r.Form["member"] {
		i := slices.IndexFunc(people, func(p projections.Person) bool { return p.Staff.String() == id && p.Active })
		if i < 0 {
			return pagekit.ErrUnreadable
		}
		usernames = append(usernames, people[i].Username)
	}
	if len(usernames) == 0 {
		return errNoReader
	}
	return s.Desk.RestrictPatientRecord(r.StaffContext(), commands.RestrictPatientRecord{Tenant: r.Tenant, Patient: state.id, Usernames: usernames, Seen: state.version})
}

// erase confirms an erasure that another person has requested. If the ledger outside the
// database cannot be written now, it is written when the service next starts.
func (s *Section) erase(r *pagekit.Request, state dataState) error {
	err := s.Desk.ConfirmErasure(r.StaffContext(), commands.ConfirmErasure{Person: state.person(r.Tenant), Erasure: erasure.ID{UUID: idIn(r, "erasure")}})
	if err != nil {
		return err
	}
	if err := s.Erased(context.WithoutCancel(r.Context())); err != nil {
		s.Log.ErrorContext(r.Context(), "an erasure is done, but not in the ledger", slog.String("request_id", r.ID), slog.Any("error", err))
		return errLedger
	}
	return nil
}

var errLedger = pagekit.NewErrorPage(http.StatusInternalServerError, "The patient is erased, but the ledger of erasures could not be written",
	"A backup that is restored before it is written would bring the patient’s data back.",
	"Contact your system administrator now. Restarting the service will write the ledger.")
