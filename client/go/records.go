package client

import (
	"context"
	"net/url"
	"time"
)

// A Note is a new note in a patient's care record.
type Note struct {
	PatientID string `json:"patientId"`
	Note      string `json:"note"` // its text; not blank
}

// CreatedNote is the answer of create-note.
type CreatedNote struct {
	NoteID string `json:"noteId"`
}

// CreateNote adds a note to a patient's care record.
func (c *Client) CreateNote(ctx context.Context, n Note, options ...CallOption) (created CreatedNote, err error) {
	err = c.post(ctx, "create-note", n, nil, &created, options)
	return created, err
}

// A CareRecord is a patient's record, newest entries first.
type CareRecord struct {
	Patient         RecordPatient        `json:"patient"`
	Notes           []RecordNote         `json:"notes"`
	PatientRequests []RecordRequest      `json:"patientRequests"`
	Consultations   []RecordConsultation `json:"consultations"`
	Truncated       bool                 `json:"truncated"` // whether there are older entries than these
}

// RecordPatient is the patient of a record.
type RecordPatient struct {
	PatientID string  `json:"patientId"`
	Name      string  `json:"name"`
	BirthDate *string `json:"birthDate"` // 2006-01-02
}

// RecordNote is a note in a record.
type RecordNote struct {
	NoteID         string          `json:"noteId"`
	Note           string          `json:"note"`
	UserName       *string         `json:"userName"` // nil when the author cannot be determined
	CreatedAt      time.Time       `json:"createdAt"`
	EnteredInError *EnteredInError `json:"enteredInError"`
}

// RecordRequest is a patient request in a record.
type RecordRequest struct {
	PatientRequestID string          `json:"patientRequestId"`
	RequestType      RequestType     `json:"requestType"`
	Requester        Requester       `json:"requester"`
	Response         []ResponseItem  `json:"response"`
	IsHighPriority   bool            `json:"isHighPriority"`
	ProxyDetails     *ProxyDetails   `json:"proxyDetails"`
	Attachments      []RecordFile    `json:"attachments"`
	SubmittedAt      time.Time       `json:"submittedAt"`
	EnteredInError   *EnteredInError `json:"enteredInError"`
}

// RecordFile names an attachment.
type RecordFile struct {
	FileName    string   `json:"fileName"`
	ContentType FileType `json:"contentType"`
}

// RecordConsultation is a consultation in a record.
type RecordConsultation struct {
	ConsultationID string    `json:"consultationId"`
	AppointmentID  *string   `json:"appointmentId"`
	UserName       *string   `json:"userName"`
	StartedAt      time.Time `json:"startedAt"`
}

// EnteredInError marks an entry that should not have been made, or not for this patient. Show it as
// struck out, and do not rely on it.
type EnteredInError struct {
	Reason   string    `json:"reason"`
	MarkedAt time.Time `json:"markedAt"`
}

// RetrieveCareRecord reads a patient's care record, which counts as an opening.
func (c *Client) RetrieveCareRecord(ctx context.Context, patientID string, options ...CallOption) (record CareRecord, err error) {
	err = c.get(ctx, "retrieve-care-record", url.Values{"patientId": {patientID}}, &record, options)
	return record, err
}

// ContactDetails are how a patient can be reached, and their NHS number. An empty member is
// stored as unknown.
type ContactDetails struct {
	PatientID string `json:"patientId"`
	Telephone string `json:"telephone"`
	Email     string `json:"email"`
	NHSNumber string `json:"nhsNumber"` // 10 digits; spaces and hyphens are ignored
}

// SetDetails names the patient of set-contact-details.
type SetDetails struct {
	PatientID string `json:"patientId"`
}

// SetContactDetails replaces all of a patient's contact details.
func (c *Client) SetContactDetails(ctx context.Context, details ContactDetails, options ...CallOption) (set SetDetails, err error) {
	err = c.post(ctx, "set-contact-details", details, nil, &set, options)
	return set, err
}

// OpenedRecord names the patient of the opened record.
type OpenedRecord struct {
	PatientID string `json:"patientId"`
}

// OpenCareRecord records that a patient's care record is opened by other means.
func (c *Client) OpenCareRecord(ctx context.Context, patientID string, options ...CallOption) (opened OpenedRecord, err error) {
	err = c.post(ctx, "open-care-record", OpenedRecord{patientID}, nil, &opened, options)
	return opened, err
}
