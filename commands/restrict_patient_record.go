package commands

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// RestrictPatientRecord lets only named staff see a patient's record (D17).
type RestrictPatientRecord struct {
	Tenant    string
	Patient   patient.ID
	Usernames []string // none lifts the restriction
}

// RestrictPatientRecordHandler handles [RestrictPatientRecord].
type RestrictPatientRecordHandler struct {
	Store Store
	Staff StaffDirectory
}

// Handle restricts the record, or returns the rule that refuses it.
func (h RestrictPatientRecordHandler) Handle(ctx context.Context, c RestrictPatientRecord) error {
	allowed, err := membersNamed(ctx, h.Staff, c.Tenant, c.Usernames)
	if err == nil {
		err = Update(ctx, h.Store, patient.StreamOf(c.Tenant, c.Patient), func(p patient.Patient) ([]event.Event, error) {
			if len(allowed) == 0 {
				return p.LiftRestriction(c.Patient)
			}
			return p.RestrictRecord(c.Patient, allowed)
		})
	}
	if err != nil {
		return fmt.Errorf("restrict patient record: %w", err)
	}
	return nil
}

// membersNamed are the members of staff, each once and in one order, so that
// the same people named otherwise are the same restriction.
func membersNamed(ctx context.Context, directory StaffDirectory, tenant string, usernames []string) ([]staff.ID, error) {
	members := make([]staff.ID, len(usernames))
	for i, username := range usernames {
		id, err := directory.StaffByUsername(ctx, tenant, username)
		if err != nil {
			return nil, err
		}
		members[i] = id
	}
	slices.SortFunc(members, func(a, b staff.ID) int { return bytes.Compare(a.UUID[:], b.UUID[:]) })
	return slices.Compact(members), nil
}
