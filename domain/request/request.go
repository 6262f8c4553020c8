package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// ID identifies a patient request; the API calls it patientRequestId.
type ID struct{ uuid.UUID }

// Type is the kind of a request.
type Type string

// The request types.
const (
	Medical Type = "medical"
	Admin   Type = "admin"
)

// Types lists the request types, in the order of the contract.
func Types() []Type { return []Type{Medical, Admin} }

// Known returns [ErrInvalidType] if the request type does not exist.
func (t Type) Known() error {
	if !slices.Contains(Types(), t) {
		return ErrInvalidType
	}
	return nil
}

// Requester is the author of a request.
type Requester string

// The requesters.
const (
	ByPatient Requester = "patient"
	ByProxy   Requester = "proxy"
)

// Requesters lists the possible authors.
func Requesters() []Requester { return []Requester{ByPatient, ByProxy} }

// Answer is the answer to one question.
type Answer struct {
	Question string `json:"question"`
	Answer   string `json:"answer" personal:"request"`
}

// Proxy is a person who makes a request on a patient's behalf.
type Proxy struct {
	FirstName             string `json:"firstName" personal:"request"`
	LastName              string `json:"lastName" personal:"request"`
	RelationshipToPatient string `json:"relationshipToPatient" personal:"request"`
}

// Submitted records that a patient request was made.
type Submitted struct {
	Patient      patient.ID     `json:"patient"`
	Application  application.ID `json:"application,omitzero"` // the sender; zero if no application sent it
	Type         Type           `json:"requestType"`
	Requester    Requester      `json:"requester"`
	Response     []Answer       `json:"response"`
	HighPriority bool           `json:"highPriority"`
	Proxy        *Proxy         `json:"proxy,omitempty"`
	Attachments  []Attachment   `json:"attachments,omitempty"`
}

// EventName returns the name that the event is stored under.
func (Submitted) EventName() string { return "patient-request.submitted.v1" }

// PatientID returns the patient of the event.
func (s Submitted) PatientID() uuid.UUID { return s.Patient.UUID }

// The refusals of a request's fields, without those of its identifiers and its
// attachments.
var (
	ErrInvalidType         = fault.New(fault.Invalid, "invalid-request-type", "requestType must be medical or admin.")
	ErrInvalidRequester    = fault.New(fault.Invalid, "invalid-requester", "requester must be patient or proxy.")
	ErrMissingProxyDetails = fault.New(fault.Invalid, "missing-proxy-details", "proxyDetails must be given, because requester is proxy.")
	ErrInvalidProxyDetails = fault.New(fault.Invalid, "invalid-proxy-details",
		"proxyDetails must be an object with firstName, lastName and relationshipToPatient.")
	ErrProxyDetail     = ErrInvalidProxyDetails.Worded("proxyDetails.%s must be a string that is not blank.")
	ErrEmptyResponse   = fault.New(fault.Invalid, "empty-response", "response must have at least one item.")
	ErrInvalidQuestion = fault.New(fault.Invalid, "invalid-question", "%s.question must be one of: %s.")
)

// StreamOf returns the stream of a request.
func StreamOf(tenant string, id ID) event.Stream { return event.Stream{Tenant: tenant, ID: id.UUID} }

// Submission is a valid request: the rules have found no fault in its fields.
type Submission Submitted

// Submit submits a request (rule 2). The caller has made sure that the patient exists
// and that the practice accepts such a request.
func Submit(s Submission) []event.Event { return []event.Event{Submitted(s)} }

// Proxy validates the details of a proxy; nil means none. It validates them for every
// requester, but they are stored only if a proxy asks (D20).
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
			faults = append(faults, ErrProxyDetail.Filled(field.name))
		}
	}
	return faults
}

// Item is one item of a response before the rules are applied.
type Item struct {
	Question *string // nil if it is missing or not a text
	Answer   string
}

// Answers validates the items of a response. If the type is unknown, which is "", a
// question only has to be present: the valid questions depend on the type.
func (t Type) Answers(items []Item) ([]Answer, fault.List) {
	if len(items) == 0 {
		return nil, fault.List{ErrEmptyResponse}
	}
	var faults fault.List
	answers := make([]Answer, len(items))
	for i, item := range items {
		if item.Question == nil || t != "" && !slices.Contains(questions[t], *item.Question) {
			faults = append(faults, ErrInvalidQuestion.Filled(placeOf("response", i), strings.Join(t.questions(), ", ")))
			continue
		}
		answers[i] = Answer{*item.Question, item.Answer}
	}
	return answers, faults
}

// questions are the keys of the questions of each type.
var questions = map[Type][]string{
	Medical: {"healthConcern", "recentContact"},
	Admin:   {"requestDetails"},
}

// questions returns the keys for the type; if it is unknown, all keys.
func (t Type) questions() []string {
	if t == "" {
		return slices.Concat(questions[Medical], questions[Admin])
	}
	return questions[t]
}

func placeOf(array string, i int) string { return fmt.Sprintf("%s[%d]", array, i) }

// questionWords are the questions in plain words, by their keys in the contract.
var questionWords = map[string]string{
	"healthConcern":  "Health concern",
	"recentContact":  "Recent contact",
	"requestDetails": "Details of the request",
}

// Asked returns the question in plain words. For one that is no longer in the contract,
// it returns the key.
func (a Answer) Asked() string {
	if words, known := questionWords[a.Question]; known {
		return words
	}
	return a.Question
}
