package requests

import (
	"net/http"
	"net/url"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections/history"
)

// act is an action of staff on a request.
type act struct {
	do     func(s *Section, r *pagekit.Request, found history.Request, t typed) error
	writes bool // it uses the text, so it needs access to the patient's text
	notes  bool // it saves the text as a note, if there is any
}

// acts are the actions by their names in forms.
var acts = map[string]act{
	"take": {notes: true, do: func(s *Section, r *pagekit.Request, found history.Request, t typed) error {
		return s.Desk.TakePatientRequest(r.StaffContext(), commands.TakePatientRequest{Tenant: r.Tenant, Request: found.ID, Seen: found.Version, By: r.Session.Staff, Note: t.note()})
	}},
	"book": {notes: true, do: func(s *Section, r *pagekit.Request, found history.Request, t typed) error {
		if !t.hasText() {
			return nil
		}
		return s.Desk.NotePatientRequest(r.StaffContext(), commands.NotePatientRequest{Tenant: r.Tenant, Request: found.ID, Seen: found.Version, Text: t.text})
	}},
	"give":       {notes: true, do: (*Section).give},
	"put-off":    {notes: true, do: (*Section).putOff},
	"urgent":     {do: urgency(true)},
	"not-urgent": {do: urgency(false)},
	"note": {writes: true, do: func(s *Section, r *pagekit.Request, found history.Request, t typed) error {
		return s.Desk.NotePatientRequest(r.StaffContext(), commands.NotePatientRequest{Tenant: r.Tenant, Request: found.ID, Seen: found.Version, Text: t.text})
	}},
	"complete":      {writes: true, do: (*Section).complete},
	"complete-next": {writes: true, do: (*Section).complete},
	"reopen": {writes: true, do: func(s *Section, r *pagekit.Request, found history.Request, t typed) error {
		return s.Desk.ReopenPatientRequest(r.StaffContext(), commands.ReopenPatientRequest{Tenant: r.Tenant, Request: found.ID, Seen: found.Version, By: r.Session.Staff, Reason: t.text})
	}},
}

func (s *Section) complete(r *pagekit.Request, found history.Request, t typed) error {
	return s.Desk.CompletePatientRequest(r.StaffContext(), commands.CompletePatientRequest{
		Tenant: r.Tenant, Request: found.ID, Seen: found.Version, By: r.Session.Staff,
		Completion: request.Completion{Outcome: request.Outcome(t.outcome), Note: t.note(), Answer: t.reply()},
	})
}

func urgency(urgent bool) func(*Section, *pagekit.Request, history.Request, typed) error {
	return func(s *Section, r *pagekit.Request, found history.Request, _ typed) error {
		return s.Desk.ChangePatientRequestUrgency(r.StaffContext(), commands.ChangePatientRequestUrgency{Tenant: r.Tenant, Request: found.ID, Seen: found.Version, Urgent: urgent})
	}
}

// give assigns the request to a colleague or a team on the page's list.
func (s *Section) give(r *pagekit.Request, found history.Request, t typed) error {
	to, err := s.colleagues(r, found, response{typed: t})
	if err != nil {
		return err
	}
	for _, option := range to.Options {
		value, isTeam := strings.CutPrefix(option.Value, teamValue)
		if id, ok := parse.ID(value); ok && option.Chosen {
			given := commands.GivePatientRequest{
				Tenant: r.Tenant, Request: found.ID, Seen: found.Version, From: request.Holder{Member: found.Holder, Team: found.Team},
				To: request.Holder{Member: staff.ID{UUID: id}}, Note: t.note(),
			}
			if isTeam {
				given.To = request.Holder{Team: staff.TeamID{UUID: id}}
			}
			return s.Desk.GivePatientRequest(r.StaffContext(), given)
		}
	}
	return errNoColleague
}

// errNoColleague refuses to assign a request to no one, to a removed team, or to a member who
// does not handle requests.
var errNoColleague = fault.New(fault.Invalid, "unknown-colleague", "Choose a colleague or a team.")

// putOff puts the request off until the typed day.
func (s *Section) putOff(r *pagekit.Request, found history.Request, t typed) error {
	until, ok := pagekit.ParseDate(t.until)
	if !ok {
		return request.ErrInvalidPutOff
	}
	return s.Desk.PutOffPatientRequest(r.StaffContext(), commands.PutOffPatientRequest{
		Tenant: r.Tenant, Request: found.ID, Seen: found.Version, By: r.Session.Staff, Until: until, Note: t.note(),
	})
}

// handle runs an action on a request, unless the request has changed since the form's
// page was shown (rule 2).
func (s *Section) handle(r *pagekit.Request) error {
	typed := readTyped(r)
	if r.Form.Get("do") == "insert" {
		return s.insertTemplate(r, typed)
	}
	do := r.Form.Get("do")
	act, known := acts[do]
	if !known {
		return pagekit.ErrUnreadable
	}
	if !r.HasToken(purpose(r)) {
		status, wrong := r.Unsent("handle")
		return s.show(r, response{status: status, typed: typed, FormErrors: wrong})
	}
	found, err := s.find(r)
	if err != nil {
		return err
	}
	if len(unseen(r, found)) > 0 {
		return s.showConflict(r, found, typed, pagekit.FormErrors{})
	}
	if do == "book" && typed.hasAnswer() {
		return s.show(r, response{status: http.StatusBadRequest, typed: typed, FormErrors: pagekit.FormError("answer", "Send this reply with the outcome, or remove it, before you book.")})
	}
	if act.writes || act.notes && typed.hasText() {
		if err := s.checkAccess(r, found); err != nil {
			return s.showClosed(r, typed, err)
		}
	}
	if err := act.do(s, r, found, typed); err != nil {
		return s.showRefusal(r, typed, err)
	}
	return s.redirectAfter(r, act, found, typed)
}

// checkAccess refuses texts by members without access to the patient's text.
func (s *Section) checkAccess(r *pagekit.Request, found history.Request) error {
	sees, err := s.hasAccess(r, found.Patient)
	if err == nil && !sees {
		return errClosed
	}
	return err
}

// redirectAfter returns to the request, or stays if there is unused text.
func (s *Section) redirectAfter(r *pagekit.Request, act act, found history.Request, typed typed) error {
	do, list := r.Form.Get("do"), listedBy(r)
	switch {
	case do == "complete-next":
		_, next, err := s.neighbours(r, found)
		if err != nil {
			return err
		}
		if next == (request.ID{}) {
			return r.Redirect(list.address(r) + "&done=last")
		}
		return r.Redirect(list.addressOf(r, next) + "&done=next")
	case do == "book":
		return r.Redirect(r.Base() + "/day/book?" + url.Values{
			"patient": {found.Patient.String()}, "request": {found.ID.String()}, "list": {strings.TrimPrefix(list.Query(), "?")},
		}.Encode())
	case act.writes || act.notes:
		typed.text = ""
	}
	if do == "complete" || !typed.hasText() && !typed.hasAnswer() {
		return r.Redirect(list.addressOf(r, found.ID) + "&done=" + do)
	}
	typed.to, typed.until = "", ""
	return s.show(r, response{status: http.StatusOK, typed: typed, done: doneWords[do] + " What you typed is still here, and not saved yet."})
}
