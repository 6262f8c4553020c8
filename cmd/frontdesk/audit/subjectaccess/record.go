package subjectaccess

import (
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/history"
)

// write omits missing values.
var write projections.RecordJSON

// movedRequest is a request that was taken to be the patient's, and is another's.
type movedRequest struct {
	ID          request.ID `json:"patientRequestId"`
	SubmittedAt time.Time  `json:"submittedAt"`
}

// visit is an event of an appointment.
type visit struct {
	ID    appointment.ID `json:"appointmentId"`
	What  string         `json:"what"`
	At    time.Time      `json:"at"`                 // when it happened
	For   *time.Time     `json:"startsAt,omitempty"` // when the patient was expected
	Place string         `json:"place,omitempty"`    // the site and the room
	With  string         `json:"clinician,omitempty"`
	Long  int            `json:"minutes,omitzero"` // the length
	Kind  string         `json:"kind,omitempty"`   // how the patient is seen
	By    string         `json:"by"`
}

// each yields the item, if any, that a part of the pack makes of each event. An error ends
// it, and is kept.
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

// details yields the patient's names and other details, oldest first.
func (w *writer) details() iter.Seq[details] { return slices.Values(w.Details) }

// entry returns an event as an entry of the record.
func (w *writer) entry(e event.Recorded) projections.RecordEntry {
	return projections.RecordEntry{Event: e.Event, ID: e.Stream.ID, At: e.At, InError: w.marks[e.Stream.ID]}
}

func (w *writer) notes() iter.Seq[projections.NoteJSON] {
	return each(w, func(e event.Recorded) (item projections.NoteJSON, has bool, err error) {
		if item, has = write.Note(w.entry(e)); has {
			item.By, err = e.Metadata.Actor.Words(w)
		}
		return item, has, err
	})
}

func (w *writer) requests() iter.Seq[projections.RequestJSON] {
	return each(w, func(e event.Recorded) (item projections.RequestJSON, has bool, err error) {
		item, has = write.Request(w.entry(e))
		for i := range item.Attachments {
			f := &item.Attachments[i]
			f.ID, f.PackedFile = &f.Sent.ID, &projections.PackedFile{Size: f.Sent.Size, Path: pathOf(f.Sent), Damaged: w.damaged[f.Sent.ID]}
		}
		return item, has, nil
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

func (w *writer) consultations() iter.Seq[projections.ConsultationJSON] {
	return each(w, func(e event.Recorded) (item projections.ConsultationJSON, has bool, err error) {
		if item, has = write.Consultation(w.entry(e)); has {
			item.By, err = e.Metadata.Actor.Words(w)
		}
		return item, has, err
	})
}

// visits yields the events of the patient's appointments.
func (w *writer) visits() iter.Seq[visit] {
	return each(w, func(e event.Recorded) (v visit, has bool, err error) {
		happened, ok := e.Event.(appointment.Event)
		if !ok {
			return v, false, nil
		}
		v.ID, v.What, v.At = happened.EventSubject().Appointment, history.Describe(e.EventName()), e.At
		switch of := e.Event.(type) {
		case interface{ Slot() appointment.Slot }:
			slot := of.Slot()
			v.For = &slot.At
			v.Place, err = w.place(slot.Site.UUID, uuid.Nil)
		case appointment.CalledIn:
			v.Place, err = w.place(of.Site.UUID, of.Room.UUID)
		}
		if err == nil {
			err = w.plan(&v, e.Event)
		}
		if err != nil {
			return v, false, err
		}
		v.By, err = e.Metadata.Actor.Words(w)
		return v, true, err
	})
}

// plan adds the clinician, the length and the kind in an event of an appointment.
func (w *writer) plan(v *visit, of event.Event) (err error) {
	var plan appointment.Plan
	switch e := of.(type) {
	case appointment.Booked:
		plan = e.Plan
	case appointment.Planned:
		plan = e.Plan
	}
	v.Long, v.Kind = plan.Minutes, string(plan.Kind)
	if plan.Clinician != (staff.ID{}) {
		v.With, err = w.Member(plan.Clinician.UUID)
	}
	return err
}
