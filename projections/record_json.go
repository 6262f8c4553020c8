package projections

import (
	"time"

	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
)

// RecordJSON writes entries of a care record as JSON. With Nulls, it writes the members
// of the API's answers: userName, and null or an empty list for a missing value.
// Without Nulls, it leaves missing values out: the subject pack has the author in By,
// and adds to the files.
type RecordJSON struct{ Nulls bool }

// NoteJSON is a note.
type NoteJSON struct {
	ID   record.NoteID `json:"noteId"`
	Text string        `json:"note"`
	AuthorJSON
	CreatedAt time.Time `json:"createdAt"`
	InError   *InError  `json:"enteredInError,omitempty"`
}

// AuthorJSON is the author of an entry: either the first member or the second.
type AuthorJSON struct {
	UserName **string `json:"userName,omitempty"` // the API's, as in webhooks; null if it is not known
	By       string   `json:"by,omitempty"`       // the subject pack's, in words
}

// RequestJSON is a patient request, as it was made.
type RequestJSON struct {
	ID           request.ID        `json:"patientRequestId"`
	Type         request.Type      `json:"requestType"`
	Requester    request.Requester `json:"requester"`
	Response     []request.Answer  `json:"response"`
	HighPriority bool              `json:"isHighPriority"`
	Proxy        **request.Proxy   `json:"proxyDetails,omitempty"`
	Attachments  []FileJSON        `json:"attachments,omitzero"`
	SubmittedAt  time.Time         `json:"submittedAt"`
	InError      *InError          `json:"enteredInError,omitempty"`
}

// FileJSON is a file that was sent with a request, without its content.
type FileJSON struct {
	Sent        request.Attachment    `json:"-"`
	ID          *request.AttachmentID `json:"attachmentId,omitempty"` // in the subject pack
	FileName    string                `json:"fileName"`               // from the sender
	ContentType string                `json:"contentType"`
	*PackedFile                       // in the subject pack
}

// PackedFile is the place of a file in the subject pack.
type PackedFile struct {
	Size    int64  `json:"size"`    // bytes
	Path    string `json:"path"`    // in the ZIP
	Damaged bool   `json:"damaged"` // and so not in the ZIP
}

// ConsultationJSON is a consultation.
type ConsultationJSON struct {
	ID          consultation.ID  `json:"consultationId"`
	Appointment **appointment.ID `json:"appointmentId,omitempty"`
	AuthorJSON
	StartedAt time.Time `json:"startedAt"`
}

// Note returns an entry that is a note; false for any other.
func (j RecordJSON) Note(e RecordEntry) (NoteJSON, bool) {
	n, ok := e.Event.(record.NoteCreated)
	return NoteJSON{n.Note, n.Text, j.author(e), e.At, e.InError}, ok
}

// Request returns an entry that is a patient request; false for any other.
func (j RecordJSON) Request(e RecordEntry) (RequestJSON, bool) {
	r, ok := e.Event.(request.Submitted)
	var files []FileJSON
	if j.Nulls {
		files = []FileJSON{}
	}
	for _, a := range r.Attachments {
		files = append(files, FileJSON{Sent: a, FileName: a.FileName, ContentType: a.ContentType})
	}
	written := RequestJSON{request.ID{UUID: e.ID}, r.Type, r.Requester, r.Response, r.HighPriority, nil, files, e.At, e.InError}
	if r.Proxy != nil || j.Nulls {
		written.Proxy = &r.Proxy
	}
	return written, ok
}

// Consultation returns an entry that is a consultation; false for any other.
func (j RecordJSON) Consultation(e RecordEntry) (ConsultationJSON, bool) {
	c, ok := e.Event.(consultation.Started)
	return ConsultationJSON{c.Consultation, member(c.Appointment, j.Nulls), j.author(e), e.At}, ok
}

func (j RecordJSON) author(e RecordEntry) (a AuthorJSON) {
	if j.Nulls {
		a.UserName = member(e.UserName, true)
	}
	return a
}

// member returns a member of an object. If the value is zero, it returns nil, which is
// left out, or a pointer to nil, which is null.
func member[T comparable](value T, null bool) **T {
	var zero T
	given := &value
	switch {
	case value != zero:
		return &given
	case null:
		return new(*T)
	}
	return nil
}
