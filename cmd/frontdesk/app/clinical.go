package app

import (
	"context"

	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/postgres"
	"frontdesk/commands"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// clinical is the endpoints around a patient's record and a practice's day.
func (a *App) clinical() httpapi.Clinical {
	patients := projections.Patients{DB: a.calls}
	records := projections.CareRecords{DB: a.calls, Codec: a.codec}
	return httpapi.Clinical{
		CheckRecord: func(ctx context.Context, caller commands.Caller, id patient.ID) error {
			return postgres.Fault(caller.CheckRecord(ctx, patients, id))
		},
		CareRecord: func(ctx context.Context, tenant string, id patient.ID) (projections.CareRecord, error) {
			found, err := records.Of(ctx, tenant, id)
			return found, postgres.Fault(err)
		},
		OpenCareRecord:    doing(a.OpenCareRecord.Handle),
		CreateNote:        making(a.CreateNote.Handle),
		BookAppointment:   making(a.BookAppointment.Handle),
		CallInPatient:     doing(a.CallInPatient.Handle),
		ClearCallIn:       doing(a.ClearCallIn.Handle),
		MarkDidNotAttend:  doing(a.MarkDidNotAttend.Handle),
		StartConsultation: making(a.StartConsultation.Handle),
	}
}

// doing is a command whose database errors are what a caller understands.
func doing[C any](handle func(context.Context, C) error) func(context.Context, C) error {
	return func(ctx context.Context, c C) error { return postgres.Fault(handle(ctx, c)) }
}

// making is the same for a command that makes something.
func making[C, ID any](handle func(context.Context, C) (ID, error)) func(context.Context, C) (ID, error) {
	return func(ctx context.Context, c C) (ID, error) {
		id, err := handle(ctx, c)
		return id, postgres.Fault(err)
	}
}
