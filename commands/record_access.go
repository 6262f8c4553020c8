package commands

import (
	"context"

	"frontdesk/domain/application"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Records knows who may see each patient's record.
type Records interface {
	// RecordOpenTo reports whether a member of staff may see the patient's
	// record; everybody may see that of an unknown one.
	RecordOpenTo(ctx context.Context, tenant string, id patient.ID, member staff.ID) (bool, error)
}

// ErrRecordRestricted is the refusal of D17: the patient's record is restricted
// to other staff.
var ErrRecordRestricted = fault.New(fault.Forbidden, "unauthorized", "The specified user may not access this patient")

// CheckRecord refuses with [ErrRecordRestricted] when the caller acts for a
// member of staff who may not see the patient's record (§4.5, D17). An
// application-restricted call is allowed by its grant alone. It comes after
// [Caller.CheckPatient] and before anything else is said about the input.
func (c Caller) CheckRecord(ctx context.Context, records Records, id patient.ID) error {
	if c.Mode != application.UserRestricted {
		return nil
	}
	open, err := records.RecordOpenTo(ctx, c.Tenant, id, c.Staff)
	if err == nil && !open {
		err = ErrRecordRestricted
	}
	return err
}
