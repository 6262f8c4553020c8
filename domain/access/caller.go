package access

import (
	"crypto/sha256"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// Claim says who makes a call, by the caller's own account, and what the call
// asks for. [Rights] are looked up by it before any of it is proven.
type Claim struct {
	Tenant      string // that the call addresses; there may be no such practice
	Application application.ID
	Mode        application.Mode
	Username    string // of a user-restricted call; "" otherwise
	Endpoint    Endpoint
}

// Rights are what the practice and its staff allow a [Claim] at one instant.
type Rights struct {
	Known           bool // the application is registered
	JWKSURL         string
	KeySetReread    time.Time    // key sets that were read before this was known are not used; zero if all are (D94)
	Enabled         bool         // for the practice
	Granted         bool         // the endpoint, in the mode of the claim
	Staff           staff.ID     // the member of staff of that username, who may have left; zero if there was none
	AuthorisedUntil time.Time    // end of the current standing authorisation; zero if there is none
	Patients        []patient.ID // patients of the current patient-scoped authorisations

	// Receptions say when the practice takes requests, if the endpoint asks. No rule of
	// [Judge] is about them.
	Receptions practice.Receptions
}

// Caller is who makes a call, proven by its token, and what they may do.
type Caller struct {
	Claim
	Rights
	Act       *event.OnBehalfOf // the act claim; nil if there is none
	TokenHash [32]byte          // SHA-256 of the token
}

// Actor returns the caller as it is named by the events that the call causes.
func (c Caller) Actor() event.Actor {
	if c.Staff.UUID == uuid.Nil {
		return event.Application(c.Application.UUID, string(c.Mode), c.Act)
	}
	return event.Staff(c.Staff.UUID).Through(c.Application.UUID, string(c.Mode), c.Act)
}

// Idempotency returns what recognises a call that is made again (D22): the
// practice, application, mode, user, endpoint and key have to be the same. The body tells
// a repetition from another call that has the same key by mistake.
func (c Caller) Idempotency(key string, body event.Digest) event.Idempotency {
	who := c.Application.String() + " " + string(c.Mode) + " " + c.Staff.String() + " "
	if c.Endpoint.Name != CreatePatientRequest { // the one endpoint that had keys before D93, without its name
		who = string(c.Endpoint.Name) + " " + who
	}
	return event.Idempotency{Tenant: c.Tenant, Key: sha256.Sum256([]byte(who + key)), Body: body.String()}
}

// Call is one judged call whose signature held. All of them are recorded (D37). So is
// every page that has shown patients to staff: a [Look], of which no application and no
// token is known.
type Call struct {
	RequestID   uuid.UUID                `json:"requestId"` // a UUIDv7 of the service: later calls have greater ones
	At          time.Time                `json:"at"`        // when it was judged, for the last time, in microseconds, UTC
	Tenant      string                   `json:"tenant"`    // that it addressed; there may be no such practice
	Application application.ID           `json:"application"`
	Mode        application.Mode         `json:"mode"`
	Staff       staff.ID                 `json:"staff,omitzero"` // of a user-restricted call whose user is, or was, staff of the practice
	Endpoint    application.EndpointName `json:"endpoint"`
	Patient     patient.ID               `json:"patient,omitzero"`   // that it named; there may be no such patient
	Patients    []patient.ID             `json:"patients,omitempty"` // whom a page has shown
	Status      int                      `json:"status"`             // HTTP, of the answer
	Code        string                   `json:"code,omitempty"`     // of the first refusal; "" if there was none
	Reason      string                   `json:"reason,omitempty"`   // what the caller was told
	Act         *event.OnBehalfOf        `json:"act,omitempty"`      // the act claim; nil if the token had none
	TokenHash   event.Digest             `json:"tokenHash"`          // SHA-256 of the token
	Idx         int64                    `json:"idx,omitempty"`      // its number among all calls, once it is recorded; 0 before

	// Took is the time from the arrival to the answer. It is stored with the line, outside of
	// its leaf, and is no part of what is exported or proved (D95). Only [OwnCall] shows it.
	Took time.Duration `json:"-"`
}
