package patients

import (
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
)

// longestNote limits a typed note, in characters. An application may send a longer one.
const longestNote = request.MaxText

// newFormID is a signed identifier for a form's result, so that a form that is sent twice
// takes effect once, and no one chooses an identifier.
func newFormID(r *pagekit.Request, w subject) string {
	id := event.NewID().String()
	return id + "." + r.Token(w.purpose()+"\x00new\x00"+id)
}

// parseFormID returns the identifier of [newFormID].
func parseFormID(r *pagekit.Request, w subject, text string) (id string, ok bool) {
	if len(text) < 37 {
		return "", false
	}
	id = text[:36]
	return id, r.Session.Owns(text[37:], w.purpose()+"\x00new\x00"+id)
}

// addNote adds a note to a record that is open to the member of staff. If it fails, it
// shows the typed text again.
func (s *Section) addNote(r *pagekit.Request) error {
	w, err := s.findSubject(r)
	if err != nil {
		return err
	}
	if !s.isOpen(w) {
		return s.showClosed(r, w, http.StatusForbidden, pagekit.FormError("reason", "Your note has not been added: this record is closed to you again. Give a reason to open it."))
	}
	typed := r.FormText("note")
	name, ok := parseFormID(r, w, r.Form.Get("made"))
	if !r.HasToken(w.purpose()) || !ok {
		status, wrong := r.Unsent("note")
		return s.show(r, w, status, recordPage{FormErrors: wrong, Typed: typed})
	}
	if wrong := pagekit.TooLong(typed, longestNote); wrong != "" {
		return s.show(r, w, http.StatusBadRequest, recordPage{FormErrors: pagekit.FormError("note", wrong), Typed: typed})
	}
	_, err = s.Desk.CreateNote(r.StaffContext(), commands.CreateNote{Tenant: r.Tenant, Patient: w.ID, Once: r.OnceKey(name), Text: typed})
	if errors.Is(err, record.ErrEmptyNote) {
		return s.show(r, w, http.StatusBadRequest, recordPage{FormErrors: pagekit.FormError("note", "Write the note"), Typed: typed})
	}
	if err != nil {
		return orNoPatient(err)
	}
	return r.Redirect(w.At + "?done=note")
}
