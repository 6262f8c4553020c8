package client

import (
	"encoding/json"
	"time"
)

// A Webhook is one that the service has sent. It is a hint: fetch fresh data.
type Webhook struct {
	JTI      string // unique per event
	TenantID string
	IssuedAt time.Time
	Expires  time.Time
	Event    Event
	Data     json.RawMessage // of the event, as signed
	KID      string          // of the signing key
	Claims   json.RawMessage // all of them, as signed
}

// An Event is one of [RecordOpened], [ConsultationStarted], [CallInShown], [CallInRemoved],
// [RequestReplied], [Ping] and [Other].
type Event interface {
	Kind() string // the event's name
}

// RecordOpened means that a patient's care record is opened.
type RecordOpened struct{ PatientData }

// ConsultationStarted means that a consultation has started.
type ConsultationStarted struct{ PatientData }

// PatientData is the patient of an event, and its author.
type PatientData struct {
	PatientID string  `json:"patientId"`
	UserName  *string `json:"userName"` // nil when the author cannot be determined
	UserEmail *string `json:"userEmail"`
}

// CallInShown means that a patient is called in.
type CallInShown struct {
	AppointmentID string    `json:"appointmentId"`
	PatientName   string    `json:"patientName"`
	RoomName      *string   `json:"roomName"` // nil when no room is assigned
	SiteID        string    `json:"siteId"`
	SiteName      string    `json:"siteName"`
	CalledInAt    time.Time `json:"calledInAt"`
}

// CallInRemoved means that a patient is no longer called in.
type CallInRemoved struct {
	AppointmentID string    `json:"appointmentId"`
	SiteID        string    `json:"siteId"`
	RemovedAt     time.Time `json:"removedAt"`
}

// RequestReplied means that the practice answers a request of the application. Fetch the answer
// with [Client.RequestOutcome].
type RequestReplied struct {
	PatientRequestID string `json:"patientRequestId"`
}

// Ping is a test that the application has requested with [Client.TestWebhook].
type Ping struct{}

// Other is an event that is newer than this package.
type Other struct {
	Name string
	Data json.RawMessage
}

// Kind is record.opened.
func (*RecordOpened) Kind() string { return "record.opened" }

// Kind is consultation.started.
func (*ConsultationStarted) Kind() string { return "consultation.started" }

// Kind is callin.notification.shown.
func (*CallInShown) Kind() string { return "callin.notification.shown" }

// Kind is callin.notification.removed.
func (*CallInRemoved) Kind() string { return "callin.notification.removed" }

// Kind is request.replied.
func (*RequestReplied) Kind() string { return "request.replied" }

// Kind is ping.
func (*Ping) Kind() string { return "ping" }

// Kind is the event's name.
func (o *Other) Kind() string { return o.Name }

// events makes an empty event of each kind.
var events = map[string]func() Event{
	"record.opened":               func() Event { return &RecordOpened{} },
	"consultation.started":        func() Event { return &ConsultationStarted{} },
	"callin.notification.shown":   func() Event { return &CallInShown{} },
	"callin.notification.removed": func() Event { return &CallInRemoved{} },
	"request.replied":             func() Event { return &RequestReplied{} },
	"ping":                        func() Event { return &Ping{} },
}

// newEvent parses an event's data.
func newEvent(kind string, data json.RawMessage) (Event, error) {
	empty, known := events[kind]
	if !known {
		return &Other{kind, data}, nil
	}
	event := empty()
	return event, json.Unmarshal(data, event)
}
