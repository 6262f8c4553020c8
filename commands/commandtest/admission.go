package commandtest

import (
	"context"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// Admission implements commands.Admissions.
func (s *Store) Admission(ctx context.Context, tenant string, id patient.ID, typ request.Type) (commands.Admission, error) {
	exists, err := s.PatientExists(ctx, tenant, id)
	if err != nil {
		return commands.Admission{}, err
	}
	reception := practice.Reception{Type: typ, Zone: time.UTC}
	for _, e := range s.Log() {
		switch e.Stream {
		case practice.StreamOf(tenant):
			if registered, ok := e.Event.(practice.Registered); ok {
				reception.Zone, err = time.LoadLocation(registered.TimeZone)
			}
		case practice.IntakeStream(tenant, typ):
			reception.Intake = reception.Intake.Apply(e.Event)
		case practice.ClosuresStream(tenant):
			reception.Closures = reception.Closures.Apply(e.Event)
		}
	}
	return commands.Admission{PatientExists: exists, Reception: reception}, err
}
