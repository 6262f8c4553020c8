package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
)

// OpenCareRecord records that a patient's care record is opened (§6.1, D37).
// Whether the caller may, was judged before (D17).
type OpenCareRecord struct {
	Tenant  string
	Patient patient.ID
}

// OpenCareRecordHandler handles [OpenCareRecord].
type OpenCareRecordHandler struct {
	Store    Store
	Patients Patients
}

// Handle records the opening, or returns the rule that refuses it:
// patient.ErrUnknown for a patient of nobody or of another practice. Every
// opening counts.
func (h OpenCareRecordHandler) Handle(ctx context.Context, c OpenCareRecord) error {
	err := knowPatient(ctx, h.Patients, c.Tenant, c.Patient)
	if err == nil {
		stream := record.OpeningStreamOf(c.Tenant, record.OpeningID{UUID: event.NewID()})
		_, err = h.Store.Append(ctx, event.Change{Stream: stream, Events: record.Open(c.Patient)})
	}
	if err != nil {
		return fmt.Errorf("open care record: %w", err)
	}
	return nil
}
