package client

import (
	"context"
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
