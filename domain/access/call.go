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
	RequestID   uuid.UUID            `json:"requestId"` // ours, a UUIDv7: later calls have greater ones (D19)
	At          time.Time            `json:"at"`        // when it came, in microseconds, UTC
	Tenant      string               `json:"tenant"`    // that it addressed; there need be no such practice (D11)
	Application application.ID       `json:"application"`
	Mode        application.Mode     `json:"mode"`
	Staff       staff.ID             `json:"staff,omitzero"` // of a user-restricted call whose user the practice has, or had
	Endpoint    application.Endpoint `json:"endpoint"`
	Patient     patient.ID           `json:"patient,omitzero"` // that it named; there need be no such patient
	Status      int                  `json:"status"`           // of the answer
	Code        string               `json:"code,omitempty"`   // of the first refusal (§7); "" when there was none
	Reason      string               `json:"reason,omitempty"` // what the caller was told, as D10 words it
	Act         *event.OnBehalfOf    `json:"act,omitempty"`    // the act claim, if the token had one (§5.2)
	TokenHash   event.Digest         `json:"tokenHash"`        // SHA-256 of the token
}
