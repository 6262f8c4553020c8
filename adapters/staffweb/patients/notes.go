package patients

import (
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
)

// longestNote is how many characters a note has at most that is typed here. An application
// may send a longer one.
const longestNote = request.MaxText

// newForm names what a form makes, and vouches for the name, so that a form which is sent
// twice makes one thing, and nobody chooses an identifier.
func newForm(v *frame.Visit, w who) string {
	id := event.NewID().String()
	return id + "." + v.Token(w.purpose()+"\x00new\x00"+id)
}

// madeBy returns the name that [newForm] has made.
func madeBy(v *frame.Visit, w who, text string) (id string, ok bool) {
	if len(text) < 37 {
		return "", false
	}
	id = text[:36]
	return id, v.Session.Owns(text[37:], w.purpose()+"\x00new\x00"+id)
}

// addNote adds a note to a record that is open to the member of staff. What was typed is
// shown again if it was not added.
func (s *Section) addNote(v *frame.Visit) error {
	w, err := s.about(v)
	if err != nil {
		return err
	}
	name, ok := madeBy(v, w, v.Form.Get("made"))
	if !v.Owns(w.purpose()) || !ok {
		return frame.ErrStale
	}
	if !s.open(w) {
		return s.closed(v, w, http.StatusForbidden, frame.Wrong("reason", "Your note has not been added: this record is closed to you again."))
	}
	typed := v.Text("note")
	if wrong := frame.TooLong(typed, longestNote); wrong != "" {
		return s.show(v, w, http.StatusBadRequest, recordPage{Faulty: frame.Wrong("note", wrong), Typed: typed})
	}
	_, err = s.Desk.CreateNote(v.AsStaff(), commands.CreateNote{Tenant: v.Tenant, Patient: w.ID, Once: v.Once(name), Text: typed})
	if errors.Is(err, record.ErrEmptyNote) {
		return s.show(v, w, http.StatusBadRequest, recordPage{Faulty: frame.Wrong("note", "Write the note"), Typed: typed})
	}
	if err != nil {
		return unknown(err)
	}
	return v.GoTo(w.At + "?done=note")
}
