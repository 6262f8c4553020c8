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

// What receivers get. These names and forms are promised to them (§6.2, §6.4),
// whatever our own events are called.

// Issuer is the iss of every webhook (§6.4).
const Issuer = "service"

// lifetime is how long a webhook's token is good for (§6.4).
const lifetime = 60 * time.Second

// Claims is a webhook (§6.4).
type Claims struct {
	Issuer    string                   `json:"iss"`
	IssuedAt  int64                    `json:"iat"`
	ExpiresAt int64                    `json:"exp"`
	ID        uuid.UUID                `json:"jti"` // the event's id: the same for every receiver (D29)
	Event     application.WebhookEvent `json:"event"`
	TenantID  string                   `json:"tenantId"`
	Data      any                      `json:"data"` // one of the types below
}

// PatientData is the data of record.opened and consultation.started (§6.2).
type PatientData struct {
	PatientID uuid.UUID `json:"patientId"`
	UserName  *string   `json:"userName"`  // the person's name; null when nobody can be named (D33)
	UserEmail *string   `json:"userEmail"` // null then, too
}

// CallInShownData is the data of callin.notification.shown (§6.2).
type CallInShownData struct {
	AppointmentID uuid.UUID `json:"appointmentId"`
	PatientName   string    `json:"patientName"`
	RoomName      *string   `json:"roomName"` // null when no room is assigned
	SiteID        uuid.UUID `json:"siteId"`
	SiteName      string    `json:"siteName"`
	CalledInAt    time.Time `json:"calledInAt"` // RFC 3339, UTC
}

// CallInRemovedData is the data of callin.notification.removed (§6.2).
type CallInRemovedData struct {
	AppointmentID uuid.UUID `json:"appointmentId"`
	SiteID        uuid.UUID `json:"siteId"`
	RemovedAt     time.Time `json:"removedAt"` // RFC 3339, UTC
}

// claimsOf is what is told of an event, with the names of the moment in which
// it is told; false if there is nothing to tell.
func claimsOf(e event.Recorded, n names, now time.Time) (Claims, bool) {
	notice, tells := noticeOf(e.Event)
	return Claims{
		Issuer: Issuer, IssuedAt: now.Unix(), ExpiresAt: now.Add(lifetime).Unix(), ID: e.ID,
		Event: notice.kind, TenantID: e.Stream.Tenant, Data: dataOf(e.Event, n),
	}, tells
}

func dataOf(e event.Event, n names) any {
	switch e := e.(type) {
	case record.CareRecordOpened:
		return PatientData{e.Patient.UUID, n.userName, n.userEmail}
	case consultation.Started:
		return PatientData{e.Patient.UUID, n.userName, n.userEmail}
	case appointment.CalledIn:
		return CallInShownData{e.Appointment.UUID, n.patient, n.room, e.Site.UUID, n.site, e.CalledInAt.UTC()}
	case appointment.CallInRemoved:
		return CallInRemovedData{e.Appointment.UUID, e.Site.UUID, e.RemovedAt.UTC()}
	}
	return nil
}
