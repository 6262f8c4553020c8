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
	field string // of the page, beside which a refusal is shown
	do    func(*Section, *pagekit.Request, dataState) error
}

// actions are the actions by their names in forms.
func actions() map[string]action {
	return map[string]action{
		"restrict": {"restrict", (*Section).restrict},
		"lift": {"restrict", func(s *Section, v *pagekit.Request, state dataState) error {
			return s.Desk.RestrictPatientRecord(v.StaffContext(), commands.RestrictPatientRecord{Tenant: v.Tenant, Patient: state.id, Seen: state.version})
		}},
		"ask": {"reason", func(s *Section, v *pagekit.Request, state dataState) error {
			_, err := s.Desk.ErasePatient(v.StaffContext(), commands.ErasePatient{
				Tenant: v.Tenant, Patient: state.id, Basis: erasure.Basis(v.Form.Get("basis")), Reason: v.Form.Get("reason"),
			})
			return err
		}},
		"withdraw": {"withdrawal", func(s *Section, v *pagekit.Request, state dataState) error {
			return s.Desk.WithdrawErasure(v.StaffContext(), commands.WithdrawErasure{
				Person: state.person(v.Tenant), Erasure: erasure.ID{UUID: idIn(v, "erasure")}, Reason: v.Form.Get("withdrawal"),
			})
		}},
		"hold": {"hold", func(s *Section, v *pagekit.Request, state dataState) error {
			_, err := s.Desk.HoldErasure(v.StaffContext(), commands.HoldErasure{Tenant: v.Tenant, Patient: state.id, Reason: v.Form.Get("hold")})
			return err
		}},
		"release": {"holds", func(s *Section, v *pagekit.Request, state dataState) error {
			return s.Desk.LiftErasureHold(v.StaffContext(), commands.LiftErasureHold{
				Tenant: v.Tenant, Patient: state.id, Hold: erasure.HoldID{UUID: idIn(v, "which")}, Reason: v.Form.Get("release-" + v.Form.Get("which")),
			})
		}},
		"confirm": {"erasure", (*Section).erase},
	}
}

// idIn is an identifier in the form; zero for none.
func idIn(v *pagekit.Request, name string) uuid.UUID {
	id, _ := parse.ID(v.Form.Get(name))
	return id
}

// act runs an action of a privacy officer, unless the patient's data have changed since
// the page was shown.
func (s *Section) act(v *pagekit.Request, state dataState) error {
	chosen, ok := actions()[v.Form.Get("do")]
	switch {
	case !v.HasToken(state.purpose()):
		return pagekit.ErrStale
	case !ok:
		return pagekit.ErrUnreadable
	case !v.Session.Owns(v.Form.Get("seen"), state.seen()):
		return s.showConflict(v, state, chosen.field)
	}
	if err := chosen.do(s, v, state); err != nil {
		return s.showRefusal(v, state, chosen.field, err)
	}
	if v.Form.Get("do") == "confirm" {
		return v.Redirect(v.Base() + "/privacy/erasures/" + idIn(v, "erasure").String() + "?done=erased")
	}
	return v.Redirect(v.Base() + "/privacy/patients/" + state.id.String() + "?done=" + v.Form.Get("do"))
}

// showConflict shows the current state of the patient, after a change by someone else.
func (s *Section) showConflict(v *pagekit.Request, state dataState, field string) error {
	return s.showPatient(v, http.StatusConflict, state, patientPage{typed: v.Form, FormErrors: pagekit.FormError(field,
		"Nothing has been changed: somebody has changed something about this patient since you opened the page. Look at it again.")})
}

// showRefusal shows why a rule refuses an action.
func (s *Section) showRefusal(v *pagekit.Request, state dataState, field string, err error) error {
	refusal, ok := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(err, patient.ErrUnknown):
		return errNoPatient
	case errors.Is(err, patient.ErrChanged):
		state, err := s.dataState(v, state.id)
		if err != nil {
			return err
		}
		return s.showConflict(v, state, field)
	case !ok || refusal.Kind == fault.Unavailable:
		return err
	}
	return s.showPatient(v, http.StatusBadRequest, state, patientPage{typed: v.Form, FormErrors: pagekit.FormError(field, refusal.Detail)})
}

// errNoReader refuses a restriction that would leave no one with access to the record.
var errNoReader = fault.New(fault.Invalid, "nobody-chosen", "Choose who may see the record.")

// restrict limits access to the record to the ticked members of staff.
func (s *Section) restrict(v *pagekit.Request, state dataState) error {
	people, err := s.People.Of(v.Context(), v.Tenant)
	if err != nil {
		return err
	}
	var usernames []string
	for _, id := range v.Form["member"] {
		i := slices.IndexFunc(people, func(p projections.Person) bool { return p.Staff.String() == id && p.Active })
		if i < 0 {
			return pagekit.ErrUnreadable
		}
		usernames = append(usernames, people[i].Username)
	}
	if len(usernames) == 0 {
		return errNoReader
	}
	return s.Desk.RestrictPatientRecord(v.StaffContext(), commands.RestrictPatientRecord{Tenant: v.Tenant, Patient: state.id, Usernames: usernames, Seen: state.version})
}

// erase confirms an erasure that another person has requested. If the ledger outside the
// database cannot be written now, it is written when the service next starts.
func (s *Section) erase(v *pagekit.Request, state dataState) error {
	err := s.Desk.ConfirmErasure(v.StaffContext(), commands.ConfirmErasure{Person: state.person(v.Tenant), Erasure: erasure.ID{UUID: idIn(v, "erasure")}})
	if err != nil {
		return err
	}
	if err := s.Erased(context.WithoutCancel(v.Context())); err != nil {
		s.Log.ErrorContext(v.Context(), "an erasure is done, but not in the ledger", slog.String("request_id", v.ID), slog.Any("error", err))
		return errLedger
	}
	return nil
}

var errLedger = pagekit.NewErrorPage(http.StatusInternalServerError, "The patient is erased, but the ledger of erasures could not be written",
	"A backup that is restored before it is written would bring the patient’s data back.",
	"Tell whoever runs this service now: it is written when they start the service again.")
