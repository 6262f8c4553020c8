package subjectpack

import (
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// note is a note as it was written.
type note struct {
	ID        record.NoteID `json:"noteId"`
	Text      string        `json:"note"`
	By        string        `json:"by"`
	CreatedAt time.Time     `json:"createdAt"`
	InError   *mark         `json:"enteredInError,omitempty"`
}

// patientRequest is a request as it was made.
type patientRequest struct {
	ID           request.ID        `json:"patientRequestId"`
	Type         request.Type      `json:"requestType"`
	Requester    request.Requester `json:"requester"`
	Response     []request.Answer  `json:"response"`
	HighPriority bool              `json:"isHighPriority"`
	Proxy        *request.Proxy    `json:"proxyDetails,omitempty"`
	Attachments  []file            `json:"attachments,omitempty"`
	SubmittedAt  time.Time         `json:"submittedAt"`
	InError      *mark             `json:"enteredInError,omitempty"`
}

// movedRequest is a request that was taken to be the patient's, and is another's.
type movedRequest struct {
	ID          request.ID `json:"patientRequestId"`
	SubmittedAt time.Time  `json:"submittedAt"`
}

// file is a file that was sent with a request.
type file struct {
	ID       request.AttachmentID `json:"attachmentId"`
	FileName string               `json:"fileName"` // as the sender called it
	Type     string               `json:"contentType"`
	Size     int64                `json:"size"`    // bytes
	Path     string               `json:"path"`    // in the ZIP
	Damaged  bool                 `json:"damaged"` // and so not there
}

// visit is what happened to an appointment.
type visit struct {
	ID    appointment.ID `json:"appointmentId"`
	What  string         `json:"what"`
	At    time.Time      `json:"at"`                 // when it happened
	For   *time.Time     `json:"startsAt,omitempty"` // when the patient was expected
	Place string         `json:"place,omitempty"`    // the site and the room
	By    string         `json:"by"`
}

// meeting is a consultation.
type meeting struct {
	ID          consultation.ID `json:"consultationId"`
	Appointment appointment.ID  `json:"appointmentId,omitzero"`
	By          string          `json:"by"`
	StartedAt   time.Time       `json:"startedAt"`
}

// each yields what a part of the pack has to say of each event. An error ends it, and is
// kept.
func each[T any](w *writer, say func(e event.Recorded) (item T, has bool, err error)) iter.Seq[T] {
	return func(yield func(T) bool) {
		for e, err := range w.Events {
			if err != nil {
				w.failed = err
				return
			}
			item, has, err := say(e)
			if err != nil {
				w.failed = err
				return
			}
			if has && !yield(item) {
				return
			}
		}
	}
}

// details yields what the patient was called, oldest first.
func (w *writer) details() iter.Seq[details] { return slices.Values(w.Details) }

func (w *writer) notes() iter.Seq[note] {
	return each(w, func(e event.Recorded) (item note, has bool, err error) {
		written, ok := e.Event.(record.NoteCreated)
		if !ok {
			return item, false, nil
		}
		by, err := e.Metadata.Actor.Words(w)
		return note{written.Note, written.Text, by, e.At, w.marks[e.Stream.ID]}, true, err
	})
}

func (w *writer) requests() iter.Seq[patientRequest] {
	return each(w, func(e event.Recorded) (item patientRequest, has bool, err error) {
		made, ok := e.Event.(request.Submitted)
		if !ok {
			return item, false, nil
		}
		item = patientRequest{
			ID: request.ID{UUID: e.Stream.ID}, Type: made.Type, Requester: made.Requester, Response: made.Response,
			HighPriority: made.HighPriority, Proxy: made.Proxy, SubmittedAt: e.At, InError: w.marks[e.Stream.ID],
		}
		for _, a := range made.Attachments {
			item.Attachments = append(item.Attachments, file{a.ID, a.FileName, a.ContentType, a.Size, pathOf(a), w.damaged[a.ID]})
		}
		return item, true, nil
	})
}

// moved yields the requests that were taken to be the patient's.
func (w *writer) moved() iter.Seq[movedRequest] {
	return func(yield func(movedRequest) bool) {
		for _, m := range w.Moved {
			if !yield(movedRequest{m.Request, m.SubmittedAt}) {
				return
			}
		}
	}
}

// pathOf returns where a file is in the ZIP. The name that its sender has given it could
// lead anywhere.
func pathOf(a request.Attachment) string {
	return "attachments/" + a.ID.String() + extensions[a.ContentType]
}

var extensions = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "application/msword": ".doc",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
}

func (w *writer) consultations() iter.Seq[meeting] {
	return each(w, func(e event.Recorded) (item meeting, has bool, err error) {
		started, ok := e.Event.(consultation.Started)
		if !ok {
			return item, false, nil
		}
		by, err := e.Metadata.Actor.Words(w)
		return meeting{started.Consultation, started.Appointment, by, e.At}, true, err
	})
}

// visits yields what happened to the patient's appointments.
func (w *writer) visits() iter.Seq[visit] {
	return each(w, func(e event.Recorded) (v visit, has bool, err error) {
		happened, ok := e.Event.(appointment.Event)
		if !ok {
			return v, false, nil
		}
		v.ID, v.What, v.At = happened.Of().Appointment, projections.Describe(e.EventName()), e.At
		switch of := e.Event.(type) {
		case interface{ Slot() appointment.Slot }:
			slot := of.Slot()
			v.For = &slot.At
			v.Place, err = w.place(slot.Site.UUID, uuid.Nil)
		case appointment.CalledIn:
			v.Place, err = w.place(of.Site.UUID, of.Room.UUID)
		}
		if err != nil {
			return v, false, err
		}
		v.By, err = e.Metadata.Actor.Words(w)
		return v, true, err
	})
}
