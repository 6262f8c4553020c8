package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/staff"
)

// Patients keeps the patients of each practice, and the staff who may see their
// records. [Names] finds their names.
type Patients struct{ DB Querier }

// Name returns the permanent name.
func (Patients) Name() string { return "patients.v1" }

// Project keeps a row for each patient, and one for each member of staff who may see a
// restricted record. It keeps one for each time that another member has opened it.
func (Patients) Project(r event.Recorded, do func(sql string, args ...any)) {
	tenant := r.Stream.Tenant
	switch e := r.Event.(type) {
	case patient.Registered:
		do(`INSERT INTO patients (tenant, patient) VALUES ($1, $2)`, tenant, e.Patient)
	case patient.RecordRestricted:
		restrict(tenant, e.Patient, true, do)
		for _, member := range e.Staff {
			do(`INSERT INTO record_restrictions (tenant, patient, staff) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
				tenant, e.Patient, member)
		}
	case patient.RestrictionLifted:
		restrict(tenant, e.Patient, false, do)
	case record.GlassBroken:
		do(`INSERT INTO broken_glass (tenant, event, patient, staff, broken_at, until) VALUES ($1, $2, $3, $4, $5, $6)`,
			tenant, r.ID, e.Patient, r.Metadata.Actor.Member(), r.At, e.Until)
	case patient.Erased:
		do(`DELETE FROM broken_glass WHERE tenant = $1 AND patient = $2`, tenant, e.Patient)
		do(`DELETE FROM patients WHERE tenant = $1 AND patient = $2`, tenant, e.Patient)
		do(`DELETE FROM record_restrictions WHERE tenant = $1 AND patient = $2`, tenant, e.Patient)
	}
}

func restrict(tenant string, id patient.ID, restricted bool, do func(sql string, args ...any)) {
	do(`UPDATE patients SET restricted = $3 WHERE tenant = $1 AND patient = $2`, tenant, id, restricted)
	do(`DELETE FROM record_restrictions WHERE tenant = $1 AND patient = $2`, tenant, id)
}

// PatientExists reports whether the practice has the patient.
func (p Patients) PatientExists(ctx context.Context, tenant string, id patient.ID) (exists bool, err error) {
	err = p.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM patients WHERE tenant = $1 AND patient = $2)`, tenant, id).Scan(&exists)
	if err != nil {
		return false, fmt.Errorf("look for patient: %w", err)
	}
	return exists, nil
}

// RecordOpenTo reports whether a member of staff may see the patient's record. The
// record of an unknown patient is open to all staff, because it is empty.
func (p Patients) RecordOpenTo(ctx context.Context, tenant string, id patient.ID, member staff.ID) (open bool, err error) {
	err = p.DB.QueryRow(ctx, `
		SELECT NOT EXISTS (SELECT FROM patients WHERE tenant = $1 AND patient = $2 AND restricted)
			OR EXISTS (SELECT FROM record_restrictions WHERE tenant = $1 AND patient = $2 AND staff = $3)`,
		tenant, id, member).Scan(&open)
	if err != nil {
		return false, fmt.Errorf("look for a restriction: %w", err)
	}
	return open, nil
}

// Sight returns a member of staff's access to a patient's record, for the practice's
// pages. The record of an unknown patient is open to all. The API uses
// [Patients.RecordOpenTo], because applications cannot break the glass (D85).
func (p Patients) Sight(ctx context.Context, tenant string, id patient.ID, member staff.ID) (record.Sight, error) {
	found, err := p.Sights(ctx, tenant, member, id)
	return found[id], err
}

// Sights returns a member's access to the records of patients. It leaves out unrestricted
// records.
func (p Patients) Sights(ctx context.Context, tenant string, member staff.ID, ids ...patient.ID) (map[patient.ID]record.Sight, error) {
	rows, _ := p.DB.Query(ctx, `
		SELECT p.patient, NOT EXISTS (SELECT FROM record_restrictions r WHERE r.tenant = $1 AND r.patient = p.patient AND r.staff = $3),
			(SELECT max(until) FROM broken_glass g WHERE g.tenant = $1 AND g.patient = p.patient AND g.staff = $3)
		FROM patients p WHERE p.tenant = $1 AND p.patient = ANY ($2) AND p.restricted`, tenant, ids, member)
	found := map[patient.ID]record.Sight{}
	var id patient.ID
	var closed bool
	var until *time.Time
	_, err := pgx.ForEachRow(rows, []any{&id, &closed, &until}, func() error {
		s := record.Sight{Restricted: true, Closed: closed}
		if until != nil {
			s.Until = *until
		}
		found[id] = s
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for restrictions: %w", err)
	}
	return found, nil
}
