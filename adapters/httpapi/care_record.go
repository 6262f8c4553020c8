package httpapi

import (
	"errors"
	"net/http"
	"strings"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/projections"
)

func (a *API) careRecords() table {
	return table{
		access.CreateNote:         a.post(members("patientId", "note"), a.createNote),
		access.RetrieveCareRecord: a.get(query(body.ErrInvalidPatientID, "patientId"), a.retrieveCareRecord),
		access.OpenCareRecord:     a.post(members("patientId"), a.openCareRecord),
	}
}

// retrieveCareRecord is GET ?patientId=. It stores that the record was opened before it
// reads any of it. An application at its limit of long answers is refused before that,
// even if this one would be short: reading costs far more than refusing.
func (a *API) retrieveCareRecord(r *http.Request, caller judged, f *body.Form) (any, error) {
	if err := f.Err(); err != nil {
		return nil, err
	}
	permit := callOf(r.Context()).long
	if err := body.Take(permit); err != nil {
		return nil, err
	}
	permit.Release() // a short record needs none
	if err := caller.desk.OpenCareRecord(r.Context(), commands.OpenCareRecord{Tenant: caller.Tenant, Patient: caller.patient}); err != nil {
		return nil, err
	}
	found, err := a.CareRecord(r.Context(), caller.Tenant, caller.patient, false)
	if errors.Is(err, projections.ErrLongRecord) {
		found, err = a.longRecord(r, caller)
	}
	if err != nil {
		return nil, err
	}
	return careRecordOf(caller.patient, found), nil
}

// longRecord reads a long record once there is a permit and it is the application's
// turn. It queries the record again, because a waiting call must hold no database
// connection.
func (a *API) longRecord(r *http.Request, caller judged) (projections.CareRecord, error) {
	if err := a.makeLong(r); err != nil {
		return projections.CareRecord{}, err
	}
	return a.CareRecord(r.Context(), caller.Tenant, caller.patient, true)
}

// openCareRecord is POST {patientId} → {patientId}. It is for a front end that gets the
// record by other means.
func (a *API) openCareRecord(r *http.Request, caller judged, f *body.Form) (any, error) {
	if err := f.Err(); err != nil {
		return nil, err
	}
	if err := caller.desk.OpenCareRecord(r.Context(), commands.OpenCareRecord{Tenant: caller.Tenant, Patient: caller.patient}); err != nil {
		return nil, err
	}
	return map[string]patient.ID{"patientId": caller.patient}, nil
}

// createNote is POST {patientId, note} → {noteId}.
func (a *API) createNote(r *http.Request, caller judged, f *body.Form) (any, error) {
	text := f.Text("note")
	if strings.TrimSpace(text) == "" {
		f.Add(record.ErrEmptyNote)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	id, err := caller.desk.CreateNote(r.Context(), commands.CreateNote{Tenant: caller.Tenant, Patient: caller.patient, Text: text})
	if err != nil {
		return nil, err
	}
	return map[string]record.NoteID{"noteId": id}, nil
}

// careRecord is the answer of retrieve-care-record. Each list has the newest
// entries first.
type careRecord struct {
	Patient         recordPatient                  `json:"patient"`
	Notes           []projections.NoteJSON         `json:"notes"`
	PatientRequests []projections.RequestJSON      `json:"patientRequests"`
	Consultations   []projections.ConsultationJSON `json:"consultations"`
	Truncated       bool                           `json:"truncated,omitempty"` // older entries are left out
}

type recordPatient struct {
	ID        patient.ID `json:"patientId"`
	Name      string     `json:"name"`
	BirthDate *string    `json:"birthDate"` // 2006-01-02; null if it is unknown
}

func careRecordOf(id patient.ID, found projections.CareRecord) careRecord {
	body := careRecord{
		Patient: recordPatient{id, found.PatientName, orNull(found.BirthDate)},
		Notes:   []projections.NoteJSON{}, PatientRequests: []projections.RequestJSON{}, Consultations: []projections.ConsultationJSON{},
		Truncated: !found.Complete,
	}
	write := projections.RecordJSON{Nulls: true}
	for _, entry := range found.Entries {
		if note, ok := write.Note(entry); ok {
			body.Notes = append(body.Notes, note)
		}
		if asked, ok := write.Request(entry); ok {
			body.PatientRequests = append(body.PatientRequests, asked)
		}
		if started, ok := write.Consultation(entry); ok {
			body.Consultations = append(body.Consultations, started)
		}
	}
	return body
}

// orNull returns a value, or null if it is zero.
func orNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
