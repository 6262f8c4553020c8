package projections

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// Appointments keeps the appointments of each practice and their status.
type Appointments struct{ DB Querier }

// Appointment is one row of [Appointments].
type Appointment struct {
	Appointment appointment.ID
	Patient     patient.ID
	Site        site.ID
	StartsAt    time.Time
	Status      Status
	ArrivedAt   *time.Time  // nil unless the patient has arrived
	Room        site.RoomID // of a call-in; zero if none is assigned
	CalledInAt  *time.Time  // nil unless the patient is called in
	appointment.Plan
	ClinicianName string // "" without a clinician
}

// Status is the progress of an appointment.
type Status string

// The statuses. An appointment is booked first; the others may follow in any order.
const (
	StatusBooked       Status = "booked"
	StatusCalledIn     Status = "called-in"
	StatusDidNotAttend Status = "did-not-attend"
	StatusAttended     Status = "attended" // a consultation has started
	StatusCancelled    Status = "cancelled"
)

// Name returns the permanent name.
func (Appointments) Name() string { return "appointments.v1" }

// Project keeps a row for each appointment. An event that ends a call-in does not clear
// the room, because a CallInRemoved accompanies it.
func (Appointments) Project(r event.Recorded, do func(sql string, args ...any)) {
	tenant := r.Stream.Tenant
	switch e := r.Event.(type) {
	case appointment.Booked:
		do(`INSERT INTO appointments (tenant, appointment, patient, site, starts_at, status, clinician, minutes, kind) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			tenant, e.Appointment, e.Patient, e.Site, e.At, string(StatusBooked), idOrNull(e.Clinician.UUID), e.Minutes, string(e.Kind))
	case appointment.Planned:
		do(`UPDATE appointments SET clinician = $3, minutes = $4, kind = $5 WHERE tenant = $1 AND appointment = $2`,
			tenant, e.Appointment, idOrNull(e.Clinician.UUID), e.Minutes, string(e.Kind))
	case appointment.CalledIn:
		do(`UPDATE appointments SET status = $3, room = $4, called_in_at = $5 WHERE tenant = $1 AND appointment = $2`,
			tenant, e.Appointment, string(StatusCalledIn), idOrNull(e.Room.UUID), e.CalledInAt)
	case appointment.CallInRemoved:
		do(`UPDATE appointments SET status = CASE status WHEN $3 THEN $4 ELSE status END, room = NULL, called_in_at = NULL
			WHERE tenant = $1 AND appointment = $2`, tenant, e.Appointment, string(StatusCalledIn), string(StatusBooked))
	case appointment.Moved:
		do(`UPDATE appointments SET site = $3, starts_at = $4, status = $5, arrived_at = NULL WHERE tenant = $1 AND appointment = $2`,
			tenant, e.Appointment, e.Site, e.At, string(StatusBooked))
	case appointment.Cancelled:
		do(setStatus, tenant, e.Appointment, string(StatusCancelled))
	case appointment.Arrived:
		do(`UPDATE appointments SET status = CASE status WHEN $3 THEN $4 ELSE status END, arrived_at = $5 WHERE tenant = $1 AND appointment = $2`,
			tenant, e.Appointment, string(StatusDidNotAttend), string(StatusBooked), e.ArrivedAt)
	case appointment.DidNotAttend:
		do(`UPDATE appointments SET status = $3, arrived_at = NULL WHERE tenant = $1 AND appointment = $2`,
			tenant, e.Appointment, string(StatusDidNotAttend))
	case appointment.ArrivalCleared:
		do(`UPDATE appointments SET status = CASE WHEN $3 THEN $4 ELSE status END, arrived_at = NULL WHERE tenant = $1 AND appointment = $2`,
			tenant, e.Appointment, e.DidNotAttend, string(StatusDidNotAttend))
	case appointment.DidNotAttendCleared:
		do(`UPDATE appointments SET status = $3, arrived_at = $4 WHERE tenant = $1 AND appointment = $2`,
			tenant, e.Appointment, string(StatusBooked), orNull(e.ArrivedAt))
	case appointment.Attended:
		do(setStatus, tenant, e.Appointment, string(StatusAttended))
	case patient.Erased:
		do(`DELETE FROM appointments WHERE tenant = $1 AND patient = $2`, tenant, e.Patient)
	}
}

const setStatus = `UPDATE appointments SET status = $3 WHERE tenant = $1 AND appointment = $2`

const askAppointments = `SELECT appointment, patient, site, starts_at, status, arrived_at, room, called_in_at, clinician, minutes, kind,
	coalesce((SELECT name FROM staff s WHERE s.tenant = a.tenant AND s.staff = a.clinician), '') FROM appointments a `

// Between lists at most the given number of a site's appointments, in the order of
// their starts: those with a clinician, or with the zero clinician all. They start at or
// after one instant and before another.
func (a Appointments) Between(ctx context.Context, tenant string, at site.ID, with staff.ID, from, until time.Time, most int) ([]Appointment, error) {
	return a.list(ctx, askAppointments+`
		WHERE tenant = $1 AND site = $2 AND ($3::uuid IS NULL OR clinician = $3) AND starts_at >= $4 AND starts_at < $5 ORDER BY starts_at, appointment LIMIT $6`,
		tenant, at, idOrNull(with.UUID), from, until, most)
}

// OfPatient lists at most the given number of a patient's appointments, the latest first.
func (a Appointments) OfPatient(ctx context.Context, tenant string, id patient.ID, most int) ([]Appointment, error) {
	return a.list(ctx, askAppointments+`WHERE tenant = $1 AND patient = $2 ORDER BY starts_at DESC, appointment LIMIT $3`, tenant, id, most)
}

// OfPatientBetween lists a patient's appointments that start at or after one instant and
// before another, without cancelled ones.
func (a Appointments) OfPatientBetween(ctx context.Context, tenant string, id patient.ID, from, until time.Time) ([]Appointment, error) {
	return a.list(ctx, askAppointments+`
		WHERE tenant = $1 AND patient = $2 AND starts_at >= $3 AND starts_at < $4 AND status <> $5 ORDER BY starts_at, appointment`,
		tenant, id, from, until, string(StatusCancelled))
}

// OfClinicianBetween lists a clinician's appointments at all sites that start at or after
// one instant and before another, without cancelled ones and those of patients who did not
// attend: at most the given number.
func (a Appointments) OfClinicianBetween(ctx context.Context, tenant string, id staff.ID, from, until time.Time, most int) ([]Appointment, error) {
	return a.list(ctx, askAppointments+`
		WHERE tenant = $1 AND clinician = $2 AND starts_at >= $3 AND starts_at < $4 AND status NOT IN ($5, $6) ORDER BY starts_at, appointment LIMIT $7`,
		tenant, id, from, until, string(StatusCancelled), string(StatusDidNotAttend), most)
}

// Find returns an appointment, or appointment.ErrUnknown if the practice has none with
// this identifier.
func (a Appointments) Find(ctx context.Context, tenant string, id appointment.ID) (Appointment, error) {
	found, err := a.list(ctx, askAppointments+`WHERE tenant = $1 AND appointment = $2`, tenant, id)
	if err != nil || len(found) == 0 {
		return Appointment{}, cmp.Or(err, error(appointment.ErrUnknown))
	}
	return found[0], nil
}

func (a Appointments) list(ctx context.Context, sql string, args ...any) ([]Appointment, error) {
	rows, _ := a.DB.Query(ctx, sql, args...)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a Appointment, err error) {
		var room, clinician *uuid.UUID
		err = row.Scan(&a.Appointment, &a.Patient, &a.Site, &a.StartsAt, &a.Status, &a.ArrivedAt, &room, &a.CalledInAt,
			&clinician, &a.Minutes, &a.Kind, &a.ClinicianName)
		if room != nil {
			a.Room.UUID = *room
		}
		if clinician != nil {
			a.Clinician.UUID = *clinician
		}
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("list appointments: %w", err)
	}
	return found, nil
}

// idOrNull returns an identifier for an optional column: NULL for the zero one.
func idOrNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

// orNull returns an optional time: NULL for the zero one.
func orNull(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
