package trigger

import (
	"context"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
)

// Trigger is the subject of an event, and its place.
type Trigger struct {
	Tenant      string
	Patient     patient.ID
	Site        site.ID        // where the patient is called in
	Room        site.RoomID    // into which; zero for none
	Application application.ID // that sends the request which is answered
	By          string         // the username of who answers it
}

// Made holds the things that were made on the way, by the names of the contract.
type Made map[string]any

// Pull makes an event of a kind happen. A kind that does not exist is refused with
// application.ErrUnknownEvent.
func (t Trigger) Pull(ctx context.Context, desk commands.Desk, event application.WebhookEvent) (Made, error) {
	happen, known := map[application.WebhookEvent]func(context.Context, commands.Desk) (Made, error){
		application.RecordOpened:        t.openRecord,
		application.ConsultationStarted: t.startConsultation,
		application.CallInShown:         t.callIn,
		application.CallInRemoved:       t.clearCallIn,
		application.RequestReplied:      t.answerRequest,
	}[event]
	if !known {
		return nil, application.ErrUnknownEvent
	}
	return happen(ctx, desk)
}

func (t Trigger) openRecord(ctx context.Context, desk commands.Desk) (Made, error) {
	return nil, desk.OpenCareRecord(ctx, commands.OpenCareRecord{Tenant: t.Tenant, Patient: t.Patient})
}

func (t Trigger) startConsultation(ctx context.Context, desk commands.Desk) (Made, error) {
	id, err := desk.StartConsultation(ctx, commands.StartConsultation{Tenant: t.Tenant, Patient: t.Patient})
	return Made{"consultationId": id}, err
}

// callIn books an appointment and calls its patient in.
func (t Trigger) callIn(ctx context.Context, desk commands.Desk) (Made, error) {
	id, err := t.calledIn(ctx, desk)
	return Made{"appointmentId": id}, err
}

// clearCallIn does the same, and clears the call-in again.
func (t Trigger) clearCallIn(ctx context.Context, desk commands.Desk) (Made, error) {
	id, err := t.calledIn(ctx, desk)
	if err != nil {
		return nil, err
	}
	return Made{"appointmentId": id}, desk.ClearCallIn(ctx, commands.ClearCallIn{Tenant: t.Tenant, Appointment: id})
}

// answerRequest sends a request as the application would, and answers it.
func (t Trigger) answerRequest(ctx context.Context, desk commands.Desk) (Made, error) {
	id, err := desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{Tenant: t.Tenant, Submission: request.Submission{
		Patient: t.Patient, Application: t.Application, Type: request.Admin, Requester: request.ByPatient,
		Response: []request.Answer{{Question: "requestDetails", Answer: "Is my form ready?"}},
	}})
	if err != nil {
		return nil, err
	}
	by, err := desk.Staff.StaffByUsername(ctx, t.Tenant, t.By)
	if err != nil {
		return nil, err
	}
	return Made{"patientRequestId": id}, desk.CompletePatientRequest(ctx, commands.CompletePatientRequest{
		Tenant: t.Tenant, Request: id, By: by,
		Completion: request.Completion{Outcome: request.Replied, Answer: "Your form is ready at reception."},
	})
}

func (t Trigger) calledIn(ctx context.Context, desk commands.Desk) (appointment.ID, error) {
	id, err := desk.BookAppointment(ctx, commands.BookAppointment{Tenant: t.Tenant, Patient: t.Patient, Site: t.Site, At: desk.Now()})
	if err != nil {
		return id, err
	}
	return id, desk.CallInPatient(ctx, commands.CallInPatient{Tenant: t.Tenant, Appointment: id, Room: t.Room})
}
