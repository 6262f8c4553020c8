package httpapi

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// retrieveCareRecord is GET ?patientId=. It stores that the record was opened
// before it reads any of it. Whoever has its share of long answers already is refused
// before that, even if this one would be short: reading costs far more than refusing.
func (a *API) retrieveCareRecord(r *http.Request, caller judged, f *body.Form) (any, error) {
	if err := f.Err(); err != nil {
		return nil, err
	}
	seat := callOf(r.Context()).long
	if err := body.Take(seat); err != nil {
		return nil, err
	}
	seat.Release() // a short record needs none
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

// longRecord reads a long record once there is a seat and it is the application's turn.
// The record is asked for again, because whoever waits must hold no connection to the
// database.
func (a *API) longRecord(r *http.Request, caller judged) (projections.CareRecord, error) {
	if err := a.makeLong(r); err != nil {
		return projections.CareRecord{}, err
	}
	return a.CareRecord(r.Context(), caller.Tenant, caller.patient, true)
}

// openCareRecord is POST {patientId} → {patientId}. A front end calls it that
// shows the record by other means.
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
	Patient         recordPatient        `json:"patient"`
	Notes           []recordNote         `json:"notes"`
	PatientRequests []recordRequest      `json:"patientRequests"`
	Consultations   []recordConsultation `json:"consultations"`
	Truncated       bool                 `json:"truncated,omitempty"` // there are older entries than these
}

type recordPatient struct {
	ID        patient.ID `json:"patientId"`
	Name      string     `json:"name"`
	BirthDate *string    `json:"birthDate"` // 2006-01-02; null if it is unknown
}

type recordNote struct {
	ID        record.NoteID `json:"noteId"`
	Note      string        `json:"note"`
	UserName  *string       `json:"userName"` // as in webhooks; null if nobody can be named
	CreatedAt time.Time     `json:"createdAt"`
	InError   *inError      `json:"enteredInError,omitempty"`
}

// inError stands only with what was marked as entered in error.
type inError struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"markedAt"`
}

type recordRequest struct {
	ID             request.ID        `json:"patientRequestId"`
	RequestType    request.Type      `json:"requestType"`
	Requester      request.Requester `json:"requester"`
	Response       []request.Answer  `json:"response"`
	IsHighPriority bool              `json:"isHighPriority"`
	ProxyDetails   *request.Proxy    `json:"proxyDetails"`
	Attachments    []recordFile      `json:"attachments"`
	SubmittedAt    time.Time         `json:"submittedAt"`
	InError        *inError          `json:"enteredInError,omitempty"`
}

// recordFile names a file without its content.
type recordFile struct {
	FileName    string `json:"fileName"`
	ContentType string `json:"contentType"`
}

type recordConsultation struct {
	ID          consultation.ID `json:"consultationId"`
	Appointment *appointment.ID `json:"appointmentId"`
	UserName    *string         `json:"userName"`
	StartedAt   time.Time       `json:"startedAt"`
}

func careRecordOf(id patient.ID, found projections.CareRecord) careRecord {
	body := careRecord{
		Patient: recordPatient{id, found.PatientName, orNull(found.BirthDate)},
		Notes:   []recordNote{}, PatientRequests: []recordRequest{}, Consultations: []recordConsultation{},
		Truncated: !found.Complete,
	}
	for _, entry := range found.Entries {
		by := orNull(entry.UserName)
		switch e := entry.Event.(type) {
		case record.NoteCreated:
			body.Notes = append(body.Notes, recordNote{e.Note, e.Text, by, entry.At, (*inError)(entry.InError)})
		case request.Submitted:
			body.PatientRequests = append(body.PatientRequests, recordRequestOf(e, entry))
		case consultation.Started:
			body.Consultations = append(body.Consultations, recordConsultation{e.Consultation, orNull(e.Appointment), by, entry.At})
		}
	}
	return body
}

func recordRequestOf(e request.Submitted, entry projections.RecordEntry) recordRequest {
	files := []recordFile{}
	for _, file := range e.Attachments {
		files = append(files, recordFile{file.FileName, file.ContentType})
	}
	return recordRequest{
		ID: request.ID{UUID: entry.ID}, RequestType: e.Type, Requester: e.Requester, Response: e.Response,
		IsHighPriority: e.HighPriority, ProxyDetails: e.Proxy, Attachments: files, SubmittedAt: entry.At,
		InError: (*inError)(entry.InError),
	}
}

// orNull returns a value, or null if it is zero.
func orNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
