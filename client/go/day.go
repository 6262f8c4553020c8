package client

import (
	"context"
	"net/url"
	"time"
)

// A Booking is a new appointment of a patient at a site.
type Booking struct {
	PatientID string    `json:"patientId"`
	SiteID    string    `json:"siteId"`
	At        time.Time `json:"at"`
}

// Appointment names an appointment.
type Appointment struct {
	AppointmentID string `json:"appointmentId"`
}

// BookAppointment books an appointment of a patient at a site.
func (c *Client) BookAppointment(ctx context.Context, b Booking, options ...CallOption) (booked Appointment, err error) {
	err = c.post(ctx, "book-appointment", b, nil, &booked, options)
	return booked, err
}

// A CallIn calls an appointment's patient in.
type CallIn struct {
	AppointmentID string `json:"appointmentId"`
	RoomID        string `json:"roomId,omitempty"` // of the appointment's site; empty when none is assigned
}

// CallInPatient calls an appointment's patient in.
func (c *Client) CallInPatient(ctx context.Context, in CallIn, options ...CallOption) (called Appointment, err error) {
	err = c.post(ctx, "call-in-patient", in, nil, &called, options)
	return called, err
}

// ClearCallIn clears a call-in by hand.
func (c *Client) ClearCallIn(ctx context.Context, appointmentID string, options ...CallOption) (cleared Appointment, err error) {
	err = c.post(ctx, "clear-call-in", Appointment{appointmentID}, nil, &cleared, options)
	return cleared, err
}

// A CalledIn is a patient who is called in, as the webhook of the call-in has it.
type CalledIn struct {
	AppointmentID string    `json:"appointmentId"`
	PatientName   string    `json:"patientName"`
	SiteID        string    `json:"siteId"`
	SiteName      string    `json:"siteName"`
	RoomID        string    `json:"roomId,omitzero"` // empty if none is assigned
	RoomName      string    `json:"roomName,omitzero"`
	CalledInAt    time.Time `json:"calledInAt"`
}

// CalledInList is the answer of called-in.
type CalledInList struct {
	CalledIn []CalledIn `json:"calledIn"` // the newest first
}

// CalledIn returns the patients who are called in now: at a site, or at all sites if siteID is
// empty. Webhooks about call-ins may be lost: this list is complete.
func (c *Client) CalledIn(ctx context.Context, siteID string, options ...CallOption) (list CalledInList, err error) {
	query := url.Values{}
	set(query, "siteId", siteID)
	err = c.get(ctx, "called-in", query, &list, options)
	return list, err
}

// A Site is a site of the practice, and its rooms.
type Site struct {
	SiteID string `json:"siteId"`
	Name   string `json:"name"`
	Rooms  []Room `json:"rooms"`
}

// A Room is a room of a site.
type Room struct {
	RoomID string `json:"roomId"`
	Name   string `json:"name"`
}

// SiteList is the answer of sites.
type SiteList struct {
	Sites []Site `json:"sites"` // by name
}

// Sites returns the practice's sites and rooms.
func (c *Client) Sites(ctx context.Context, options ...CallOption) (list SiteList, err error) {
	err = c.get(ctx, "sites", nil, &list, options)
	return list, err
}

// MarkDidNotAttend records that an appointment's patient did not attend.
func (c *Client) MarkDidNotAttend(ctx context.Context, appointmentID string, options ...CallOption) (marked Appointment, err error) {
	err = c.post(ctx, "mark-did-not-attend", Appointment{appointmentID}, nil, &marked, options)
	return marked, err
}

// A Consultation is a new consultation with a patient.
type Consultation struct {
	PatientID     string `json:"patientId"`
	AppointmentID string `json:"appointmentId,omitempty"` // of the patient; empty without one
}

// StartedConsultation is the answer of start-consultation.
type StartedConsultation struct {
	ConsultationID string `json:"consultationId"`
}

// StartConsultation starts a consultation with a patient.
func (c *Client) StartConsultation(ctx context.Context, consultation Consultation, options ...CallOption) (started StartedConsultation, err error) {
	err = c.post(ctx, "start-consultation", consultation, nil, &started, options)
	return started, err
}
