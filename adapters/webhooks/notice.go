package webhooks

import (
	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/record"
)

// notice is that applications are to be told of an event.
type notice struct {
	kind    application.WebhookEvent
	subject uuid.UUID // whose notices keep their order (D31)
}

// noticeOf is the one table from what happened to what is told (§6.1); false
// for what is nobody else's business.
func noticeOf(e event.Event) (notice, bool) {
	switch e := e.(type) {
	case record.CareRecordOpened:
		return notice{application.RecordOpened, e.Patient.UUID}, true
	case consultation.Started:
		return notice{application.ConsultationStarted, e.Patient.UUID}, true
	case appointment.CalledIn:
		return notice{application.CallInShown, e.Appointment.UUID}, true
	case appointment.CallInRemoved:
		return notice{application.CallInRemoved, e.Appointment.UUID}, true
	}
	return notice{}, false
}
