package webhooks

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/record"
)

// kinds is the catalogue. It has a row for each event that applications are told
// of (§6.1). Everything else about a kind of webhook is derived from its row.
var kinds = []kind{
	ofPatient[record.CareRecordOpened](application.RecordOpened),
	ofPatient[consultation.Started](application.ConsultationStarted),
	row(func(e appointment.CalledIn) notice {
		return notice{application.CallInShown, everybody, e.Appointment.UUID, Ages.callIn, whoIsCalledIn(e),
			func(n names) any {
				return callInShownData{e.Appointment.UUID, n.patient, n.room, e.Site.UUID, n.site, e.CalledInAt.UTC()}
			}}
	}),
	row(func(e appointment.CallInRemoved) notice {
		return notice{application.CallInRemoved, everybody, e.Appointment.UUID, Ages.callIn, nobody,
			func(names) any { return callInRemovedData{e.Appointment.UUID, e.Site.UUID, e.RemovedAt.UTC()} }}
	}),
	row(func(e application.WebhookTestRequested) notice {
		return notice{application.Ping, told{e.Application, e.Event}, e.Application.UUID, Ages.other, nobody,
			func(names) any { return pingData{} }}
	}),
}

// notice is what applications are told of one event.
type notice struct {
	kind    application.WebhookEvent
	to      told
	subject uuid.UUID                // the order of what happens to it is kept
	age     func(Ages) time.Duration // how old the event may be when it is sent
	names   asking                   // whose names the data holds
	data    func(names) any          // the payload's data, one of the types below
}

// told is to whom a notice goes. If it is zero, it goes to everybody with an address for
// the notice's kind.
type told struct {
	only application.ID           // nobody else is told
	at   application.WebhookEvent // the kind whose address it is sent to
}

var everybody told

// The data that receivers get. Its names and forms are promised to them (§6.2),
// however our own events are named.
type (
	patientData struct {
		PatientID uuid.UUID `json:"patientId"`
		UserName  *string   `json:"userName"`  // null if nobody can be named
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
	pingData struct{}
)

// kind is a row of the catalogue: a type of event, and what is told of it.
type kind struct {
	sample event.Event // of the type, empty
	notice func(event.Event) (notice, bool)
}

func row[E event.Event](tell func(E) notice) kind {
	var sample E
	return kind{sample, func(e event.Event) (notice, bool) {
		told, ok := e.(E)
		if !ok {
			return notice{}, false
		}
		return tell(told), true
	}}
}

// ofPatient is the row of an event whose data is the patient and the actor.
func ofPatient[E event.Patient](as application.WebhookEvent) kind {
	return row(func(e E) notice {
		return notice{as, everybody, e.PatientID(), Ages.other, whoActed,
			func(n names) any { return patientData{e.PatientID(), n.userName, n.userEmail} }}
	})
}

// noticeOf returns what is told of an event; false if nobody is told of it.
func noticeOf(e event.Event) (notice, bool) {
	for _, k := range kinds {
		if n, ok := k.notice(e); ok {
			return n, true
		}
	}
	return notice{}, false
}
