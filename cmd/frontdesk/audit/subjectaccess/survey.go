package subjectaccess

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// Survey collects the facts that are needed before anything is written: the amounts, which
// are recorded first, and later events that change the meaning of earlier ones.
type Survey struct {
	Count   int64     // of events, calls and files
	Details []details // the patient's, oldest first
	marks   map[uuid.UUID]*projections.InError
	sent    map[uuid.UUID]time.Time // when each patient request was sent, by its stream
}

// details are a patient's details from an instant on.
type details struct {
	Patient   patient.ID `json:"patientId"`
	Name      string     `json:"name"`
	BirthDate string     `json:"birthDate,omitempty"` // 2006-01-02
	Since     time.Time  `json:"since"`
}

// Survey reads everything once.
func (p Pack) Survey() (Survey, error) {
	s := Survey{marks: map[uuid.UUID]*projections.InError{}, sent: map[uuid.UUID]time.Time{}}
	for e, err := range p.Events {
		if err != nil {
			return s, err
		}
		s.see(e)
	}
	for access, err := range p.Accesses {
		if err != nil {
			return s, err
		}
		if access.Kind != auditing.ByEvent {
			s.Count++
		}
	}
	return s, nil
}

func (s *Survey) see(e event.Recorded) {
	s.Count++
	switch of := e.Event.(type) {
	case patient.Registered:
		s.Details = append(s.Details, details{of.Patient, of.Name, of.BirthDate, e.At})
	case patient.DetailsChanged:
		s.Details = append(s.Details, details{of.Patient, of.Name, of.BirthDate, e.At})
	case record.NoteEnteredInError:
		s.marks[e.Stream.ID] = &projections.InError{Reason: of.Reason, At: e.At}
	case request.EnteredInError:
		s.marks[e.Stream.ID] = &projections.InError{Reason: of.Reason, At: e.At}
	case request.Submitted:
		s.Count += int64(len(of.Attachments))
		s.sent[e.Stream.ID] = e.At
	}
}
