package httpapi

import (
	"context"

	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/consultation"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/projections"
)

// Clinical is what the endpoints around a patient's record and a practice's
// day carry out (§4.5, D17).
//
// A patient-scoped authorisation covers a call that names its patient. An
// endpoint that names an appointment and no patient is none of those (D12): it
// refuses callers that have nothing else, whoever the appointment's patient
// is. A call that names both is about one patient only when the appointment is
// that patient's, which its command makes sure of.
type Clinical struct {
	// CheckRecord refuses a user to whom the patient's record is closed (D17).
	CheckRecord func(context.Context, commands.Caller, patient.ID) error
	// CareRecord is the record of a patient as everything before the call left
	// it.
	CareRecord func(ctx context.Context, tenant string, id patient.ID) (projections.CareRecord, error)

	// The commands.
	OpenCareRecord    func(context.Context, commands.OpenCareRecord) error
	CreateNote        func(context.Context, commands.CreateNote) (record.NoteID, error)
	BookAppointment   func(context.Context, commands.BookAppointment) (appointment.ID, error)
	CallInPatient     func(context.Context, commands.CallInPatient) error
	ClearCallIn       func(context.Context, commands.ClearCallIn) error
	MarkDidNotAttend  func(context.Context, commands.MarkDidNotAttend) error
	StartConsultation func(context.Context, commands.StartConsultation) (consultation.ID, error)
}
