package access

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Call is one judged call whose signature held (D37).
type Call struct {
	RequestID   uuid.UUID            `json:"requestId"` // a UUIDv7 of the service: later calls have greater ones
	At          time.Time            `json:"at"`        // when it came, in microseconds, UTC
	Tenant      string               `json:"tenant"`    // that it addressed; there may be no such practice
	Application application.ID       `json:"application"`
	Mode        application.Mode     `json:"mode"`
	Staff       staff.ID             `json:"staff,omitzero"` // of a user-restricted call whose user is, or was, staff of the practice
	Endpoint    application.Endpoint `json:"endpoint"`
	Patient     patient.ID           `json:"patient,omitzero"` // that it named; there may be no such patient
	Status      int                  `json:"status"`           // HTTP, of the answer
	Code        string               `json:"code,omitempty"`   // of the first refusal; "" if there was none
	Reason      string               `json:"reason,omitempty"` // what the caller was told
	Act         *event.OnBehalfOf    `json:"act,omitempty"`    // the act claim; nil if the token had none
	TokenHash   event.Digest         `json:"tokenHash"`        // SHA-256 of the token
}
