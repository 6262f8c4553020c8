package client

import (
	"context"
	"net/url"
	"time"
)

// A PatientRequest is submitted on behalf of a patient (§2.1).
type PatientRequest struct {
	PatientID      string         `json:"patientId"`
	RequestType    RequestType    `json:"requestType"`
	Requester      Requester      `json:"requester"`
	Response       []ResponseItem `json:"response"`
	IsHighPriority bool           `json:"isHighPriority,omitempty"`
	ProxyDetails   *ProxyDetails  `json:"proxyDetails,omitempty"` // required if Requester is Proxy
	Attachments    []Attachment   `json:"-"`                      // at most 5
}

// RequestType is clinical or administrative.
type RequestType string

// The types of requests.
const (
	Medical RequestType = "medical"
	Admin   RequestType = "admin"
)

// Requester is the author of a request.
type Requester string

// The possible authors.
const (
	Patient Requester = "patient"
	Proxy   Requester = "proxy"
)

// ResponseItem answers a question (§2.2).
type ResponseItem struct {
	Question Question `json:"question"`
	Answer   string   `json:"answer"`
}

// A Question is one of the fixed keys.
type Question string

// The questions: the first two of a Medical request, the last of an Admin one.
const (
	HealthConcern  Question = "healthConcern"
	RecentContact  Question = "recentContact"
	RequestDetails Question = "requestDetails"
)

// ProxyDetails are the person who asks for the patient (§2.3). All are required.
type ProxyDetails struct {
	FirstName             string `json:"firstName"`
	LastName              string `json:"lastName"`
	RelationshipToPatient string `json:"relationshipToPatient"`
}

// CreatedPatientRequest is the answer of create-patient-request.
type CreatedPatientRequest struct {
	PatientRequestID string `json:"patientRequestId"`
}

// CreatePatientRequest submits a request on behalf of a patient (§4.1). If the practice does not
// accept such a request now, the code is request-type-disabled, request-type-paused or
// request-type-closed, and the call is not retried.
func (c *Client) CreatePatientRequest(ctx context.Context, r PatientRequest, options ...CallOption) (created CreatedPatientRequest, err error) {
	err = c.post(ctx, "create-patient-request", r, r.Attachments, &created, options)
	return created, err
}

// A RequestOutcome is how a request ended. The other fields are empty unless its status is
// completed.
type RequestOutcome struct {
	PatientRequestID string    `json:"patientRequestId"`
	Status           string    `json:"status"`           // open or completed
	Outcome          string    `json:"outcome,omitzero"` // replied, appointment-booked, signposted or no-action-needed
	CompletedAt      time.Time `json:"completedAt,omitzero"`
	Answer           string    `json:"answer,omitzero"` // to the patient, as plain text; empty for none
}

// RequestOutcome returns how a request ended that the application has sent. If it has sent no
// such request, or may no longer see it, the code is patient-request-not-found.
func (c *Client) RequestOutcome(ctx context.Context, patientRequestID string, options ...CallOption) (outcome RequestOutcome, err error) {
	err = c.get(ctx, "request-outcome", url.Values{"patientRequestId": {patientRequestID}}, &outcome, options)
	return outcome, err
}

// RequestTypes are all types, and whether a request would be accepted now.
type RequestTypes struct {
	RequestTypes []RequestTypeAvailability `json:"requestTypes"`
}

// RequestTypeAvailability is whether a request of the type would be accepted now.
type RequestTypeAvailability struct {
	RequestType RequestType `json:"requestType"`
	Status      string      `json:"status"`      // open, or the code of the refusal
	NextOpening *time.Time  `json:"nextOpening"` // nil when it is open, or the time is unknown
}

// RequestTypeAvailability returns the types of request that the practice accepts now.
func (c *Client) RequestTypeAvailability(ctx context.Context, options ...CallOption) (types RequestTypes, err error) {
	err = c.get(ctx, "request-type-availability", nil, &types, options)
	return types, err
}
