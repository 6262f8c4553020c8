package httpapi

import (
	"net/http"
	"strings"

	"frontdesk/commands"
	"frontdesk/domain/record"
)

// createNote is POST {patientId, note} → {noteId} (D17).
func (a *API) createNote(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	f, err := readForm(r, caller, "patientId", "note")
	if err != nil {
		return err
	}
	c := commands.CreateNote{Tenant: caller.Tenant, Patient: f.Patient(), Text: f.Text("note")}
	if err := a.CheckRecord(r.Context(), caller, c.Patient); err != nil {
		return err
	}
	if strings.TrimSpace(c.Text) == "" {
		f.Add(record.ErrEmptyNote)
	}
	if err := f.Err(); err != nil {
		return err
	}
	id, err := a.CreateNote(r.Context(), c)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]record.NoteID{"noteId": id})
	return nil
}
