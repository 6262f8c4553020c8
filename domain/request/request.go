package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// StreamOf is the stream of a request.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Types lists the request types, in the order of the contract (§2.1).
func Types() []Type { return []Type{Medical, Admin} }

// Known refuses with [ErrInvalidType] what is no request type.
func (t Type) Known() error {
	if !slices.Contains(Types(), t) {
		return ErrInvalidType
	}
	return nil
}

// Requesters lists who may ask (§2.1).
func Requesters() []Requester { return []Requester{ByPatient, ByProxy} }

// Submit is rule 2. That the patient exists and that the practice takes such a
// request was found out before.
func Submit(s Submission) []event.Event { return []event.Event{Submitted(s)} }

// ID identifies a patient request: the patientRequestId of §2.5.
type ID struct{ uuid.UUID }

// Type is the sort of a request (§2.1).
type Type string

// The request types.
const (
	Medical Type = "medical"
	Admin   Type = "admin"
)

// Requester is who asks (§2.1).
type Requester string

// The requesters.
const (
	ByPatient Requester = "patient"
	ByProxy   Requester = "proxy"
)

// Answer is one response item (§2.2).
type Answer struct {
	Question string `json:"question"`
	Answer   string `json:"answer" personal:"patient"`
}

// Proxy is who asks on a patient's behalf (§2.3).
type Proxy struct {
	FirstName             string `json:"firstName" personal:"patient"`
	LastName              string `json:"lastName" personal:"patient"`
	RelationshipToPatient string `json:"relationshipToPatient" personal:"patient"`
}

// Submitted says that a patient request was made.
type Submitted struct {
	Patient      patient.ID   `json:"patient"`
	Type         Type         `json:"requestType"`
	Requester    Requester    `json:"requester"`
	Response     []Answer     `json:"response"`
	HighPriority bool         `json:"highPriority"`
	Proxy        *Proxy       `json:"proxy,omitempty"`
	Attachments  []Attachment `json:"attachments,omitempty"`
}

// EventName implements [event.Event].
func (Submitted) EventName() string { return "patient-request.submitted.v1" }

// PatientID implements [event.Patient].
func (s Submitted) PatientID() uuid.UUID { return s.Patient.UUID }

// Events are the events of this package, for the codec.
func Events() []event.Event { return []event.Event{Submitted{}} }

// Submission is a sound request: the rules of this file and of attachments have
// found no fault with it.
type Submission Submitted

// What a request is refused for: the codes of §7.1. Those of its patient belong
// to whoever reads an identifier.
var (
	ErrInvalidType         = fault.New(fault.Invalid, "invalid-request-type", "requestType must be medical or admin.")
	ErrInvalidRequester    = fault.New(fault.Invalid, "invalid-requester", "requester must be patient or proxy.")
	ErrMissingProxyDetails = fault.New(fault.Invalid, "missing-proxy-details", "proxyDetails must be given, because requester is proxy.")
	ErrInvalidProxyDetails = fault.New(fault.Invalid, "invalid-proxy-details",
		"proxyDetails must be an object with firstName, lastName and relationshipToPatient.")
	ErrEmptyResponse   = fault.New(fault.Invalid, "empty-response", "response must have at least one item.")
	ErrInvalidQuestion = fault.New(fault.Invalid, "invalid-question", "A question must be one of the keys for its requestType.")
)

// Proxy judges the details of a proxy, nil for none, whenever there are any, and
// keeps them only for a proxy (D20).
func (r Requester) Proxy(details *Proxy) (*Proxy, fault.List) {
	if details == nil {
		if r == ByProxy {
			return nil, fault.List{ErrMissingProxyDetails}
		}
		return nil, nil
	}
	faults := details.faults()
	if r != ByProxy {
		return nil, faults
	}
	return details, faults
}

func (p Proxy) faults() (faults fault.List) {
	for _, field := range []struct{ name, text string }{
		{"firstName", p.FirstName}, {"lastName", p.LastName}, {"relationshipToPatient", p.RelationshipToPatient},
	} {
		if strings.TrimSpace(field.text) == "" {
			faults = append(faults, ErrInvalidProxyDetails.With("proxyDetails.%s must be a string that is not blank.", field.name))
		}
	}
	return faults
}

// questions are the keys of §2.2.
var questions = map[Type][]string{
	Medical: {"healthConcern", "recentContact"},
	Admin:   {"requestDetails"},
}

// Item is one item of a response, before anybody has judged it.
type Item struct {
	Question *string // nil when it is missing or no text
	Answer   string
}

// Answers judges the items of a response. The question of an unknown type, which
// is "", has to be there and is not judged further: that fault follows from
// another (D2).
func (t Type) Answers(items []Item) ([]Answer, fault.List) {
	if len(items) == 0 {
		return nil, fault.List{ErrEmptyResponse}
	}
	var faults fault.List
	answers := make([]Answer, len(items))
	for i, item := range items {
		if item.Question == nil || t != "" && !slices.Contains(questions[t], *item.Question) {
			faults = append(faults, ErrInvalidQuestion.With("%s.question must be one of: %s.", placeOf("response", i), strings.Join(t.questions(), ", ")))
			continue
		}
		answers[i] = Answer{*item.Question, item.Answer}
	}
	return answers, faults
}

// questions are the keys for the type; for an unknown one, all that there are.
func (t Type) questions() []string {
	if t == "" {
		return slices.Concat(questions[Medical], questions[Admin])
	}
	return questions[t]
}

func placeOf(array string, i int) string { return fmt.Sprintf("%s[%d]", array, i) }
