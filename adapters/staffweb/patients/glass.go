package patients

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/parse"
	"frontdesk/domain/record"
)

// closedPage is the page of a patient whose record is closed to the member: nothing of
// the record's content.
type closedPage struct {
	pagekit.FormErrors
	subject
	Done         string // the last action; "" for none
	Typed        string // the typed reason
	Note         string // a typed note that was not added; "" for none
	Request      string // the request to return to; "" for none
	Appointments []visitRow
	Token        string
}

// ReasonField is the field of the reason.
func (p closedPage) ReasonField() pagekit.Area {
	return pagekit.Area{ID: "reason", Label: "Why do you need to see this record?", Hint: "In at most 500 characters", Value: p.Typed, Fault: p.Fault("reason")}
}

// NoteField is the field of a note that waits for the record to be open.
func (p closedPage) NoteField() pagekit.Area {
	return pagekit.Area{ID: "note", Label: "Your note, which is not saved yet", Hint: "When the record is open, you can add it.", Value: p.Note}
}

// closedTopic is the name of this page in the access record. It shows more than lists do, so
// no line of theirs covers it.
const closedTopic = "patients-closed"

// showClosed shows that a record is closed, and asks for a reason to open it.
func (s *Section) showClosed(r *pagekit.Request, w subject, status int, faulty pagekit.FormErrors) (err error) {
	page := closedPage{FormErrors: faulty, subject: w, Done: doneTexts[r.Form.Get("done")], Typed: r.FormText("reason"), Token: r.Token(w.purpose())}
	if id, ok := parse.SomeID(r.Form.Get("request")); ok {
		page.Request = id.String()
	}
	if r.HTTP.Method == http.MethodPost {
		page.Note = r.FormText("note")
	}
	if page.Appointments, err = s.appointments(r, w); err != nil {
		return err
	}
	s.RecordShown(r, closedTopic, w.ID)
	s.Show(r, pagekit.View{Template: templates["closed"], Status: status, Title: page.PageTitle("Patient record"), Content: page})
	return nil
}

// breakGlass opens a closed record to the member of staff, with a reason. It returns to
// the request that they were reading, if any.
func (s *Section) breakGlass(r *pagekit.Request) error {
	w, err := s.findSubject(r)
	if err != nil {
		return err
	}
	if !r.HasToken(w.purpose()) {
		if s.isOpen(w) {
			return pagekit.ErrStale
		}
		status, wrong := r.Unsent("reason")
		return s.showClosed(r, w, status, wrong)
	}
	reason := r.FormText("reason")
	err = s.Desk.BreakGlass(r.StaffContext(), commands.BreakGlass{Tenant: r.Tenant, Patient: w.ID, By: r.Session.Staff, Reason: reason})
	if errors.Is(err, record.ErrNoGlassReason) {
		wrong := cmp.Or(pagekit.TooLong(reason, record.MaxGlassReason), record.ErrNoGlassReason.Detail)
		return s.showClosed(r, w, http.StatusBadRequest, pagekit.FormError("reason", wrong))
	}
	if err != nil {
		return orNoPatient(err)
	}
	if note := r.FormText("note"); strings.TrimSpace(note) != "" {
		return s.showOpened(r, note)
	}
	if id, ok := parse.SomeID(r.Form.Get("request")); ok {
		return r.Redirect(r.Base() + "/requests/" + id.String())
	}
	return r.Redirect(w.At + "?" + url.Values{"done": {"glass"}}.Encode())
}

// showOpened shows a record that has just been opened, with the note that was typed before.
func (s *Section) showOpened(r *pagekit.Request, note string) error {
	w, err := s.findSubject(r)
	if err != nil {
		return err
	}
	return s.show(r, w, http.StatusOK, recordPage{Done: doneTexts["glass"], Typed: note})
}
