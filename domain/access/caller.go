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

// Claim is the caller and the operation as a call states them. [Rights] are looked up
// by it before any of it is verified.
type Claim struct {
	Tenant      string // in the address of the call; the practice may not exist
	Application application.ID
	Mode        application.Mode
	Username    string // of a user-restricted call; "" otherwise
	Endpoint    Endpoint
}

// Rights are the permissions that a practice and its staff give a [Claim] at one instant.
type Rights struct {
	Known           bool // the application is registered
	JWKSURL         string
	KeySetReread    time.Time    // key sets that were fetched before this instant are not used; zero if all are (D94)
	Enabled         bool         // for the practice
	Granted         bool         // the endpoint, in the mode of the claim
	Staff           staff.ID     // the member of staff of that username, including former ones; zero if there was none
	AuthorisedUntil time.Time    // end of the current standing authorisation; zero without one
	Patients        []patient.ID // patients of the current patient-scoped authorisations

	// Receptions are when the practice accepts requests, if the endpoint needs it. No
	// rule of [Judge] is about them.
	Receptions practice.Receptions
}

// Caller is a caller, verified by the token, and their rights.
type Caller struct {
	Claim
	Rights
	Act       *event.OnBehalfOf // the act claim; nil without one
	TokenHash [32]byte          // SHA-256 of the token
}

// Actor returns the caller as events name it.
func (c Caller) Actor() event.Actor {
	if c.Staff.UUID == uuid.Nil {
		return event.Application(c.Application.UUID, string(c.Mode), c.Act)
	}
	return event.Staff(c.Staff.UUID).Through(c.Application.UUID, string(c.Mode), c.Act)
}

// Idempotency identifies a repeated call (D22): the practice, application, mode, user,
// endpoint and key have to be the same. The body distinguishes a repetition from
// another call that has the same key by mistake.
func (c Caller) Idempotency(key string, body event.Digest) event.Idempotency {
	who := c.Application.String() + " " + string(c.Mode) + " " + c.Staff.String() + " "
	if c.Endpoint.Name != CreatePatientRequest { // the one endpoint that had keys before D93, without its name
		who = string(c.Endpoint.Name) + " " + who
	}
	return event.Idempotency{Tenant: c.Tenant, Key: sha256.Sum256([]byte(who + key)), Body: body.String()}
}

// KeyDigest returns the digest by which an application finds its calls with an Idempotency-Key,
// whatever their endpoint and mode.
func KeyDigest(app application.ID, key string) event.Digest {
	return sha256.Sum256([]byte(app.String() + " " + key))
}

// Problem is a refusal as the caller got it.
type Problem struct {
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

// Call is one judged call with a valid signature. All of them are recorded (D37). So is
// every page that has shown patients to staff: a [Look], which has no application and
// no token.
type Call struct {
	RequestID   uuid.UUID                `json:"requestId"` // a UUIDv7 of the service: later calls have greater ones
	At          time.Time                `json:"at"`        // time of the last judgement, in microseconds, UTC
	Tenant      string                   `json:"tenant"`    // in the address; the practice may not exist
	Application application.ID           `json:"application"`
	Mode        application.Mode         `json:"mode"`
	Staff       staff.ID                 `json:"staff,omitzero"` // of a user-restricted call whose user is, or was, staff of the practice
	Endpoint    application.EndpointName `json:"endpoint"`
	Patient     patient.ID               `json:"patient,omitzero"`   // named in the input; may not exist
	Patients    []patient.ID             `json:"patients,omitempty"` // shown by a page
	Status      int                      `json:"status"`             // HTTP, of the answer
	Code        string                   `json:"code,omitempty"`     // of the first refusal; "" if there was none
	Reason      string                   `json:"reason,omitempty"`   // in the answer
	Act         *event.OnBehalfOf        `json:"act,omitempty"`      // the act claim; nil if the token had none
	TokenHash   event.Digest             `json:"tokenHash"`          // SHA-256 of the token
	Repeats     int                      `json:"repeats,omitempty"`  // equal refusals of the minute before that have no line of their own (D173)
	Idx         int64                    `json:"idx,omitempty"`      // its number among all calls, once it is recorded; 0 before

	// These are stored with the line, outside of its leaf. They are not exported or
	// proved. [OwnCall] shows them, and the auditors' list the user agent (D95, D146, D177).
	Agent    string        `json:"-"` // name and version of the program that called, from its User-Agent; "" if not known
	Took     time.Duration `json:"-"` // from the arrival to the answer
	Key      event.Digest  `json:"-"` // of its Idempotency-Key; zero without one
	Replayed bool          `json:"-"` // the answer was given before
	Further  []Problem     `json:"-"` // refusals after the first
}
