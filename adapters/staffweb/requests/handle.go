package requests

import (
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// act is an action of staff on a request.
type act struct {
	do     func(s *Section, v *pagekit.Request, r projections.Request, t typed) error
	writes bool // it uses the text, so it needs access to the patient's text
}

// acts are the actions by their names in forms.
var acts = map[string]act{
	"take": {do: func(s *Section, v *pagekit.Request, r projections.Request, _ typed) error {
		return s.Desk.TakePatientRequest(v.StaffContext(), commands.TakePatientRequest{Tenant: v.Tenant, Request: r.ID, Seen: r.Version, By: v.Session.Staff})
	}},
	"give":       {do: (*Section).give},
	"urgent":     {do: urgency(true)},
	"not-urgent": {do: urgency(false)},
	"note": {writes: true, do: func(s *Section, v *pagekit.Request, r projections.Request, t typed) error {
		return s.Desk.NotePatientRequest(v.StaffContext(), commands.NotePatientRequest{Tenant: v.Tenant, Request: r.ID, Seen: r.Version, Text: t.text})
	}},
	"complete": {writes: true, do: func(s *Section, v *pagekit.Request, r projections.Request, t typed) error {
		return s.Desk.CompletePatientRequest(v.StaffContext(), commands.CompletePatientRequest{
			Tenant: v.Tenant, Request: r.ID, Seen: r.Version, By: v.Session.Staff, Outcome: request.Outcome(t.outcome), Text: t.text,
		})
	}},
	"reopen": {writes: true, do: func(s *Section, v *pagekit.Request, r projections.Request, t typed) error {
		return s.Desk.ReopenPatientRequest(v.StaffContext(), commands.ReopenPatientRequest{Tenant: v.Tenant, Request: r.ID, Seen: r.Version, By: v.Session.Staff, Reason: t.text})
	}},
}

func urgency(urgent bool) func(*Section, *pagekit.Request, projections.Request, typed) error {
	return func(s *Section, v *pagekit.Request, r projections.Request, _ typed) error {
		return s.Desk.ChangePatientRequestUrgency(v.StaffContext(), commands.ChangePatientRequestUrgency{Tenant: v.Tenant, Request: r.ID, Seen: r.Version, Urgent: urgent})
	}
}

// give assigns the request to a colleague on the page's list.
func (s *Section) give(v *pagekit.Request, r projections.Request, t typed) error {
	to, err := s.colleagues(v, r, response{typed: t})
	if err != nil {
		return err
	}
	for _, colleague := range to.Options {
		if id, ok := parse.ID(colleague.Value); ok && colleague.Chosen {
			return s.Desk.GivePatientRequest(v.StaffContext(), commands.GivePatientRequest{
				Tenant: v.Tenant, Request: r.ID, Seen: r.Version, From: r.Holder, To: staff.ID{UUID: id},
			})
		}
	}
	return errNoColleague
}

// errNoColleague refuses to assign a request to no one, or to a member who does not
// handle requests.
var errNoColleague = fault.New(fault.Invalid, "unknown-colleague", "Choose a colleague.")

// handle runs an action on a request, unless the request has changed since the form's
// page was shown (rule 2).
func (s *Section) handle(v *pagekit.Request) error {
	act, known := acts[v.Form.Get("do")]
	if !known {
		return pagekit.ErrUnreadable
	}
	typed := readTyped(v)
	if !v.HasToken(purpose(v)) {
		return s.show(v, response{status: http.StatusForbidden, typed: typed, FormErrors: pagekit.FormErrors{}.With("handle", pagekit.SignedInAgain)})
	}
	found, err := s.find(v)
	if err != nil {
		return err
	}
	if len(unseen(v, found)) > 0 {
		return s.showConflict(v, found, typed, pagekit.FormErrors{})
	}
	if err := s.checkAccess(v, found); act.writes && err != nil {
		return err
	}
	if err := act.do(s, v, found, typed); err != nil {
		return s.showRefusal(v, typed, err)
	}
	return s.redirectAfter(v, act, typed)
}

// checkAccess refuses texts by members without access to the patient's text.
func (s *Section) checkAccess(v *pagekit.Request, found projections.Request) error {
	sees, err := s.hasAccess(v, found.Patient)
	if err == nil && !sees {
		return errClosed
	}
	return err
}

// redirectAfter returns to the request, or stays if there is unused text.
func (s *Section) redirectAfter(v *pagekit.Request, act act, typed typed) error {
	do := v.Form.Get("do")
	if act.writes || !typed.hasText() {
		return v.Redirect(v.Base() + "/requests/" + v.PathValue("request") + "?done=" + do)
	}
	typed.to = ""
	return s.show(v, response{status: http.StatusOK, typed: typed, done: doneWords[do] + " What you typed is still here, and not saved yet."})
}
