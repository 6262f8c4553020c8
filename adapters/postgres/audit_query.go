package postgres

import (
	"context"
	"fmt"

	"frontdesk/domain/audit"
	"frontdesk/domain/event"
)

// RecordAuditQuery appends that somebody has read of patients (D37), as any
// role that may read. Who it was is completed by the database with the role.
// Nothing may be shown when it fails.
func RecordAuditQuery(ctx context.Context, db DB, tenant, who string, q audit.Queried) error {
	_, err := db.Exec(ctx, `SELECT record_audit_query($1, $2, $3, $4, $5, $6, $7, $8)`,
		event.NewID(), tenant, who, q.Command, q.Filter, idOrNull(q.Patient.UUID), q.Personal, q.Count)
	if err != nil {
		return fmt.Errorf("record the reading: %w", err)
	}
	return nil
}
