package privacy

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// deed is what a privacy officer does about a patient, and where on the page it is done.
type deed struct {
	field string
	do    func(*Section, *frame.Visit, standing) error
}

// deeds are all of them, by their names in forms.
func deeds() map[string]deed {
	return map[string]deed{
		"restrict": {"restrict", (*Section).restrict},
		"lift": {"restrict", func(s *Section, v *frame.Visit, is standing) error {
			return s.Desk.RestrictPatientRecord(v.AsStaff(), commands.RestrictPatientRecord{Tenant: v.Tenant, Patient: is.id, Seen: is.version})
		}},
		"ask": {"reason", func(s *Section, v *frame.Visit, is standing) error {
			_, err := s.Desk.ErasePatient(v.AsStaff(), commands.ErasePatient{
				Tenant: v.Tenant, Patient: is.id, Basis: erasure.Basis(v.Form.Get("basis")), Reason: v.Form.Get("reason"),
			})
			return err
		}},
		"withdraw": {"withdrawal", func(s *Section, v *frame.Visit, is standing) error {
			return s.Desk.WithdrawErasure(v.AsStaff(), commands.WithdrawErasure{
				Person: is.person(v.Tenant), Erasure: erasure.ID{UUID: given(v, "erasure")}, Reason: v.Form.Get("withdrawal"),
			})
		}},
		"hold": {"hold", func(s *Section, v *frame.Visit, is standing) error {
			_, err := s.Desk.HoldErasure(v.AsStaff(), commands.HoldErasure{Tenant: v.Tenant, Patient: is.id, Reason: v.Form.Get("hold")})
			return err
		}},
		"release": {"holds", func(s *Section, v *frame.Visit, is standing) error {
			return s.Desk.LiftErasureHold(v.AsStaff(), commands.LiftErasureHold{
				Tenant: v.Tenant, Patient: is.id, Hold: erasure.HoldID{UUID: given(v, "which")}, Reason: v.Form.Get("release-" + v.Form.Get("which")),
			})
		}},
		"confirm": {"erasure", (*Section).erase},
	}
}

// given is an identifier that the form carries; zero for none.
func given(v *frame.Visit, name string) uuid.UUID {
	id, _ := parse.ID(v.Form.Get(name))
	return id
}

// act does what a privacy officer has decided, unless the patient's data stand otherwise
// than the page has shown.
func (s *Section) act(v *frame.Visit, is standing) error {
	chosen, ok := deeds()[v.Form.Get("do")]
	switch {
	case !v.Owns(is.purpose()):
		return frame.ErrStale
	case !ok:
		return frame.ErrUnreadable
	case !v.Session.Owns(v.Form.Get("seen"), is.seen()):
		return s.overtaken(v, is, chosen.field)
	}
	if err := chosen.do(s, v, is); err != nil {
		return s.refuse(v, is, chosen.field, err)
	}
	if v.Form.Get("do") == "confirm" {
		return v.GoTo(v.Base() + "/privacy/erasures/" + given(v, "erasure").String() + "?done=erased")
	}
	return v.GoTo(v.Base() + "/privacy/patients/" + is.id.String() + "?done=" + v.Form.Get("do"))
}

// overtaken shows the patient as they are now, because somebody else was faster.
func (s *Section) overtaken(v *frame.Visit, is standing, field string) error {
	return s.showPatient(v, http.StatusConflict, is, patientPage{typed: v.Form, Faulty: frame.Wrong(field,
		"Nothing has been changed: somebody has changed something about this patient since you opened the page. Look at it again.")})
}

// refuse shows why a rule does not let something be done.
func (s *Section) refuse(v *frame.Visit, is standing, field string, err error) error {
	refusal, ok := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(err, patient.ErrUnknown):
		return errNobody
	case errors.Is(err, patient.ErrChanged):
		is, err := s.standing(v, is.id)
		if err != nil {
			return err
		}
		return s.overtaken(v, is, field)
	case !ok || refusal.Kind == fault.Unavailable:
		return err
	}
	return s.showPatient(v, http.StatusBadRequest, is, patientPage{typed: v.Form, Faulty: frame.Wrong(field, refusal.Detail)})
}

// errNobodyChosen refuses a restriction to nobody: nobody could see the record any more.
var errNobodyChosen = fault.New(fault.Invalid, "nobody-chosen", "Choose who may see the record.")

// restrict lets only those who are ticked see the record.
func (s *Section) restrict(v *frame.Visit, is standing) error {
	people, err := s.People.Of(v.Context(), v.Tenant)
	if err != nil {
		return err
	}
	var usernames []string
	for _, id := range v.Form["member"] {
		i := slices.IndexFunc(people, func(p projections.Person) bool { return p.Staff.String() == id && p.Active })
		if i < 0 {
			return frame.ErrUnreadable
		}
		usernames = append(usernames, people[i].Username)
	}
	if len(usernames) == 0 {
		return errNobodyChosen
	}
	return s.Desk.RestrictPatientRecord(v.AsStaff(), commands.RestrictPatientRecord{Tenant: v.Tenant, Patient: is.id, Usernames: usernames, Seen: is.version})
}

// erase forgets the patient, as somebody else has asked for. What could not be noted
// outside of the database is noted when the service starts.
func (s *Section) erase(v *frame.Visit, is standing) error {
	err := s.Desk.ConfirmErasure(v.AsStaff(), commands.ConfirmErasure{Person: is.person(v.Tenant), Erasure: erasure.ID{UUID: given(v, "erasure")}})
	if err != nil {
		return err
	}
	if err := s.Erased(context.WithoutCancel(v.Context())); err != nil {
		s.Log.ErrorContext(v.Context(), "an erasure is done, but not in the ledger", slog.String("request_id", v.ID), slog.Any("error", err))
		return errUnnoted
	}
	return nil
}

var errUnnoted = frame.Sorry(http.StatusInternalServerError, "The patient is erased, but the ledger of erasures could not be written",
	"A backup that is restored before it is written would bring the patient’s data back.",
	"Tell whoever runs this service now: it is written when they start the service again.")
