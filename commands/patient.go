package commands

import (
	"bytes"
	"context"
	"slices"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Patients knows the patients of each practice.
type Patients interface {
	// PatientExists reports whether the practice has the patient.
	PatientExists(ctx context.Context, tenant string, id patient.ID) (bool, error)
}

// RegisterPatient registers a patient of a practice.
type RegisterPatient struct {
	Tenant    string
	Patient   patient.ID // zero for a new one
	Name      string
	BirthDate string // 2006-01-02; "" if unknown
}

// RegisterPatient returns the patient's identifier.
func (d Desk) RegisterPatient(ctx context.Context, c RegisterPatient) (patient.ID, error) {
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return patient.ID{}, err
	}
	if c.Patient.UUID == uuid.Nil {
		c.Patient.UUID = event.NewID()
	}
	return c.Patient, Update(ctx, d.Store, patient.StreamOf(c.Tenant, c.Patient), func(p patient.Patient) ([]event.Event, error) {
		return p.Register(c.Patient, c.Name, c.BirthDate, d.Now())
	})
}

// ChangePatientDetails replaces a patient's name and birth date.
type ChangePatientDetails struct {
	Tenant    string
	Patient   patient.ID
	Name      string
	BirthDate string // 2006-01-02; "" if unknown
	Seen      int    // see [Version]; 0 for no check
}

// ChangePatientDetails also appends an event if the details are the same: no decision
// can read them. If the caller has seen an older state, it refuses with
// patient.ErrChanged.
func (d Desk) ChangePatientDetails(ctx context.Context, c ChangePatientDetails) error {
	return Update(ctx, d.Store, patient.StreamOf(c.Tenant, c.Patient), ifUnchanged(c.Seen, patient.ErrChanged, func(p patient.Patient) ([]event.Event, error) {
		return p.ChangeDetails(c.Patient, c.Name, c.BirthDate)
	}))
}

// SetContactDetails replaces how a patient can be reached, and their NHS number.
type SetContactDetails struct {
	Tenant  string
	Patient patient.ID
	Contact patient.Contact
	Seen    int // see [Version]; 0 for no check
}

// SetContactDetails refuses all invalid details together. If the caller has seen an older
// state, it refuses with patient.ErrChanged.
func (d Desk) SetContactDetails(ctx context.Context, c SetContactDetails) error {
	return Update(ctx, d.Store, patient.StreamOf(c.Tenant, c.Patient), ifUnchanged(c.Seen, patient.ErrChanged, func(p patient.Patient) ([]event.Event, error) {
		return p.SetContactDetails(c.Patient, c.Contact)
	}))
}

// RestrictPatientRecord lets only named staff see a patient's record.
type RestrictPatientRecord struct {
	Tenant    string
	Patient   patient.ID
	Usernames []string // empty to lift the restriction
	Seen      int      // see [Version]; 0 for no check
}

// RestrictPatientRecord replaces an earlier restriction. If the caller has seen an
// older state, it refuses with patient.ErrChanged.
func (d Desk) RestrictPatientRecord(ctx context.Context, c RestrictPatientRecord) error {
	allowed, err := d.membersNamed(ctx, c.Tenant, c.Usernames)
	if err != nil {
		return err
	}
	return Update(ctx, d.Store, patient.StreamOf(c.Tenant, c.Patient), ifUnchanged(c.Seen, patient.ErrChanged, func(p patient.Patient) ([]event.Event, error) {
		if len(allowed) == 0 {
			return p.LiftRestriction(c.Patient)
		}
		return p.RestrictRecord(c.Patient, allowed)
	}))
}

// membersNamed returns the members of staff with these usernames, each once and sorted,
// so that the same people in another order are the same restriction.
func (d Desk) membersNamed(ctx context.Context, tenant string, usernames []string) ([]staff.ID, error) {
	members := make([]staff.ID, len(usernames))
	for i, username := range usernames {
		id, err := d.Staff.StaffByUsername(ctx, tenant, username)
		if err != nil {
			return nil, err
		}
		members[i] = id
	}
	slices.SortFunc(members, func(a, b staff.ID) int { return bytes.Compare(a.UUID[:], b.UUID[:]) })
	return slices.Compact(members), nil
}
