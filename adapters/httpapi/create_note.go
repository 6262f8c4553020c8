package httpapi

import (
	"net/http"
	"strings"

	"frontdesk/commands"
	"frontdesk/domain/record"
)

// createNote is POST {patientId, note} → {noteId} (D17).
func (a *API) createNote(w http.ResponseWriter, r *http.Request, caller commands.Caller) error {
	f, err := readForm(w, r, caller, "patientId", "note")
	if err != nil {
		return err
	}
	c := commands.CreateNote{Tenant: caller.Tenant, Patient: f.patient(), Text: f.text("note")}
	if err := a.CheckRecord(r.Context(), caller, c.Patient); err != nil {
		return err
	}
	if strings.TrimSpace(c.Text) == "" {
		f.faults = append(f.faults, record.ErrEmptyNote)
	}
	if err := f.err(); err != nil {
		return err
	}
	id, err := a.CreateNote(r.Context(), c)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]record.NoteID{"noteId": id})
	return nil
}
