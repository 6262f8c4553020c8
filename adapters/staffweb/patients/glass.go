package patients

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/parse"
	"frontdesk/domain/record"
)

// closedPage is the page of a patient whose record is closed to the member: nothing of
// the record's content.
type closedPage struct {
	pagekit.Faulty
	subject
	Typed        string // the typed reason
	Request      string // the request to return to; "" for none
	Appointments []visitRow
	Token        string
}

// ReasonField is the field of the reason.
func (p closedPage) ReasonField() pagekit.Area {
	return pagekit.Area{ID: "reason", Label: "Why do you need to see this record?", Hint: "In at most 500 characters", Value: p.Typed, Fault: p.Fault("reason")}
}

// closed shows that a record is closed, and asks for a reason to open it.
func (s *Section) closed(v *pagekit.Visit, w subject, status int, faulty pagekit.Faulty) (err error) {
	page := closedPage{Faulty: faulty, subject: w, Typed: v.Text("reason"), Token: v.Token(w.purpose())}
	if id, ok := parse.SomeID(v.Form.Get("request")); ok {
		page.Request = id.String()
	}
	if page.Appointments, err = s.appointments(v, w); err != nil {
		return err
	}
	s.Looked(v, topic, w.ID)
	s.Show(v, pagekit.View{Template: templates["closed"], Status: status, Title: page.Titled(w.Name), Content: page})
	return nil
}

// breakGlass opens a closed record to the member of staff, with a reason. It returns to
// the request that they were reading, if any.
func (s *Section) breakGlass(v *pagekit.Visit) error {
	w, err := s.about(v)
	if err != nil {
		return err
	}
	if !v.Owns(w.purpose()) {
		return pagekit.ErrStale
	}
	reason := v.Text("reason")
	err = s.Desk.BreakGlass(v.AsStaff(), commands.BreakGlass{Tenant: v.Tenant, Patient: w.ID, By: v.Session.Staff, Reason: reason})
	if errors.Is(err, record.ErrNoGlassReason) {
		wrong := cmp.Or(pagekit.TooLong(reason, record.MaxGlassReason), record.ErrNoGlassReason.Detail)
		return s.closed(v, w, http.StatusBadRequest, pagekit.Wrong("reason", wrong))
	}
	if err != nil {
		return unknown(err)
	}
	if id, ok := parse.SomeID(v.Form.Get("request")); ok {
		return v.GoTo(v.Base() + "/requests/" + id.String())
	}
	return v.GoTo(w.At + "?" + url.Values{"done": {"glass"}}.Encode())
}
