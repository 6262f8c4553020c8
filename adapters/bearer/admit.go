package bearer

import (
	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/projections"
)

// Admit is step 5 of D1 as far as it needs no patient: the application is
// enabled for the tenant, the endpoint is granted, the user has authorised. The
// error is a [*Refusal]. It is exported for auditors, who ask it about the past.
func Admit(proven commands.Caller, rights projections.Rights, op Operation) (commands.Caller, error) {
	needsGrant := op.Endpoint != application.Ping // D16
	switch {
	case !rights.Known:
		return proven, errUnknownApplication
	case !rights.Enabled:
		return proven, errNotEnabled
	case needsGrant && !rights.Granted:
		return proven, errNotGranted.with(op.Endpoint, proven.Mode)
	case proven.Mode == application.ApplicationRestricted:
		return proven, nil
	case !authorised(rights, op):
		return proven, errNotAuthorised
	}
	admitted := proven
	admitted.Staff = rights.Staff
	admitted.AuthorisedUntil = rights.AuthorisedUntil
	admitted.Patients = rights.Patients
	return admitted, nil
}

// authorised reports whether the user's standing authorisation is current or,
// for want of one, a patient-scoped authorisation may cover the patient that
// the operation names (D12).
func authorised(rights projections.Rights, op Operation) bool {
	if rights.Staff.UUID == uuid.Nil {
		return false
	}
	scoped := op.NamesPatient && len(rights.Patients) > 0
	return !rights.AuthorisedUntil.IsZero() || scoped
}
