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
	BirthDate string          // 2006-01-02; "" if unknown
	Contact   patient.Contact // empty if unknown
}

// RegisterPatient returns the patient's identifier. It refuses all invalid details together.
func (d Desk) RegisterPatient(ctx context.Context, c RegisterPatient) (patient.ID, error) {
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return patient.ID{}, err
	}
	if c.Patient.UUID == uuid.Nil {
		c.Patient.UUID = event.NewID()
	}
	return c.Patient, Update(ctx, d.Store, patient.StreamOf(c.Tenant, c.Patient), func(p patient.Patient) ([]event.Event, error) {
		return p.Import(c.Patient, c.Name, c.BirthDate, c.Contact, d.Now())
	})
}

// NewPatient is a patient to register, with the known contact details.
type NewPatient struct {
	Patient   patient.ID
	Name      string
	BirthDate string // 2006-01-02; "" if unknown
	Contact   patient.Contact
}

// ImportPatients registers patients of a practice, all of them or none.
type ImportPatients struct {
	Tenant   string
	Patients []NewPatient // of different identifiers, which the caller keeps for a repetition
}

// ImportPatients returns those that it has registered: a patient with an identifier that was
// registered before stays as they are, also if they were erased. So a repetition changes
// nothing. It refuses all invalid details of the first invalid patient.
func (d Desk) ImportPatients(ctx context.Context, c ImportPatients) (registered []patient.ID, err error) {
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return nil, err
	}
	return registered, retry(ctx, func() error {
		var changes []event.Change
		registered = nil
		for _, p := range c.Patients {
			change := event.Change{Stream: patient.StreamOf(c.Tenant, p.Patient)}
			history, err := d.Store.Load(ctx, change.Stream)
			if err != nil {
				return err
			}
			if len(history) > 0 {
				continue
			}
			if slices.Contains(registered, p.Patient) {
				return patient.ErrExists
			}
			if change.Events, err = (patient.Patient{}).Import(p.Patient, p.Name, p.BirthDate, p.Contact, d.Now()); err != nil {
				return err
			}
			registered, changes = append(registered, p.Patient), append(changes, change)
		}
		if len(changes) == 0 {
			return nil
		}
		_, err := d.Store.Append(ctx, changes...)
		return err
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
