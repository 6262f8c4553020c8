package webhooks

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
)

// kinds is the catalogue, with a row for each event that applications are notified of
// (§6.1). Everything else about a kind of webhook is derived from its row.
var kinds = []kind{
	ofPatient[record.CareRecordOpened](application.RecordOpened),
	ofPatient[consultation.Started](application.ConsultationStarted),
	row(func(e appointment.CalledIn) notice {
		return notice{application.CallInShown, allRecipients, e.Appointment.UUID, Ages.callIn, lookUpCalledIn(e),
			func(n names) any {
				return callInShownData{e.Appointment.UUID, n.patient, n.room, e.Site.UUID, n.site, e.CalledInAt.UTC()}
			}}
	}),
	row(func(e appointment.CallInRemoved) notice {
		return notice{application.CallInRemoved, allRecipients, e.Appointment.UUID, Ages.callIn, noNames,
			func(names) any { return callInRemovedData{e.Appointment.UUID, e.Site.UUID, e.RemovedAt.UTC()} }}
	}),
	row(func(e request.Answered) notice {
		return notice{application.RequestReplied, recipients{e.Application, application.RequestReplied}, e.Request.UUID, Ages.other, noNames,
			func(names) any { return requestRepliedData{e.Request.UUID} }}
	}),
	row(func(e application.WebhookTestRequested) notice {
		return notice{application.Ping, recipients{e.Application, e.Event}, e.Application.UUID, Ages.other, noNames,
			func(names) any { return pingData{} }}
	}),
}

// notice is the notification of one event.
type notice struct {
	kind    application.WebhookEvent
	to      recipients
	subject uuid.UUID                // notices about one subject are sent in order
	age     func(Ages) time.Duration // the maximum age of the event when it is sent
	names   asking                   // looks up the names in the data
	data    func(names) any          // the payload's data, one of the types below
}

// recipients selects the recipients of a notice. The zero value selects every application
// with an address for the notice's kind.
type recipients struct {
	only application.ID           // the only recipient
	at   application.WebhookEvent // the kind whose address it is sent to
}

var allRecipients recipients

// The data that receivers get. Field names and formats are stable (§6.2), independent
// of our own events.
type (
	patientData struct {
		PatientID uuid.UUID `json:"patientId"`
		UserName  *string   `json:"userName"`  // null if there is no name
		UserEmail *string   `json:"userEmail"` // null if UserName is
	}
	callInShownData struct {
		AppointmentID uuid.UUID `json:"appointmentId"`
		PatientName   string    `json:"patientName"`
		RoomName      *string   `json:"roomName"` // null if no room is assigned
		SiteID        uuid.UUID `json:"siteId"`
		SiteName      string    `json:"siteName"`
		CalledInAt    time.Time `json:"calledInAt"` // RFC 3339, UTC
	}
	callInRemovedData struct {
		AppointmentID uuid.UUID `json:"appointmentId"`
		SiteID        uuid.UUID `json:"siteId"`
		RemovedAt     time.Time `json:"removedAt"` // RFC 3339, UTC
	}
	requestRepliedData struct {
		PatientRequestID uuid.UUID `json:"patientRequestId"`
	}
	pingData struct{}
)

// kind is a row of the catalogue: a type of event, and its notice.
type kind struct {
	sample event.Event // of the type, empty
	notice func(event.Event) (notice, bool)
}

func row[E event.Event](makeNotice func(E) notice) kind {
	var sample E
	return kind{sample, func(e event.Event) (notice, bool) {
		typed, ok := e.(E)
		if !ok {
			return notice{}, false
		}
		return makeNotice(typed), true
	}}
}

// ofPatient is the row of an event whose data is the patient and the actor.
func ofPatient[E event.Patient](as application.WebhookEvent) kind {
	return row(func(e E) notice {
		return notice{as, allRecipients, e.PatientID(), Ages.other, lookUpActor,
			func(n names) any { return patientData{e.PatientID(), n.userName, n.userEmail} }}
	})
}

// noticeOf returns the notice of an event; false if it has none.
func noticeOf(e event.Event) (notice, bool) {
	for _, k := range kinds {
		if n, ok := k.notice(e); ok {
			return n, true
		}
	}
	return notice{}, false
}
