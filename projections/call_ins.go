package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/appointment"
	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

// CallInBoard keeps the current call-ins and their rooms, for the board in the waiting
// room. It follows the feed.
type CallInBoard struct {
	DB    Querier
	Names Names
}

// CallIn is one line of the board.
type CallIn struct {
	Appointment appointment.ID
	Patient     patient.ID
	Called      string // the patient's name on the board
	RoomName    string // "" if no room is assigned
	CalledInAt  time.Time
}

// mostCalledIn limits the lines of a board, so that they can be read from a distance.
const mostCalledIn = 12

// Name returns the permanent name, under which the feed keeps its offset.
func (CallInBoard) Name() string { return "call-in-board.v1" }

// Follows returns the types of events that Project has a statement for.
func (CallInBoard) Follows() []event.Event {
	return []event.Event{appointment.CalledIn{}, appointment.CallInRemoved{}, patient.Erased{}}
}

// Project keeps a row for each appointment that is called in.
func (CallInBoard) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case appointment.CalledIn:
		do(`INSERT INTO call_ins (tenant, appointment, patient, site, room, called_in_at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (tenant, appointment) DO UPDATE SET room = excluded.room, called_in_at = excluded.called_in_at`,
			r.Stream.Tenant, e.Appointment, e.Patient, e.Site, idOrNull(e.Room.UUID), e.CalledInAt)
	case appointment.CallInRemoved:
		do(`DELETE FROM call_ins WHERE tenant = $1 AND appointment = $2`, r.Stream.Tenant, e.Appointment)
	case patient.Erased:
		do(`DELETE FROM call_ins WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, e.Patient)
	}
}

// Showing lists a site's newest call-ins since an instant, newest first, with names as
// a display shows them. Since the practice's midnight, these are today's.
func (b CallInBoard) Showing(ctx context.Context, tenant string, at site.ID, by display.Naming, since time.Time) ([]CallIn, error) {
	rows, _ := b.DB.Query(ctx, `
		SELECT c.appointment, c.patient, '', coalesce(r.name, ''), c.called_in_at
		FROM call_ins c
		LEFT JOIN rooms r ON r.tenant = c.tenant AND r.room = c.room
		WHERE c.tenant = $1 AND c.site = $2 AND c.called_in_at >= $3 ORDER BY c.called_in_at DESC, c.appointment LIMIT $4`,
		tenant, at, since, mostCalledIn)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[CallIn])
	if err != nil {
		return nil, fmt.Errorf("read call-in board: %w", err)
	}
	return b.named(ctx, tenant, by, found)
}

// named adds the names of the patients to call-ins. A board that shows numbers decrypts
// no names. On other boards, it leaves out unknown patients.
func (b CallInBoard) named(ctx context.Context, tenant string, by display.Naming, found []CallIn) (named []CallIn, err error) {
	var names map[patient.ID]PatientName
	if by.NeedsName() {
		if names, err = b.Names.Find(ctx, tenant, patientsOf(found)...); err != nil {
			return nil, err
		}
	}
	for _, c := range found {
		name, known := names[c.Patient]
		if by.NeedsName() && (!known || name.Name == event.Erased) {
			continue
		}
		c.Called = by.Format(name.Name, c.Appointment.Number())
		named = append(named, c)
	}
	return named, nil
}

// CalledIn is a patient who is called in.
type CalledIn struct {
	Appointment appointment.ID
	Patient     patient.ID
	Name        string
	Site        site.ID
	SiteName    string
	Room        *site.RoomID // nil if none is assigned
	RoomName    string
	At          time.Time
}

// Current lists at most the given number of patients who are called in since an instant, the newest
// first: at a site, or at all sites if it is zero. It includes every call-in that was stored before.
// It leaves out erased patients.
func (b CallInBoard) Current(ctx context.Context, tenant string, at site.ID, since time.Time, most int) ([]CalledIn, error) {
	rows, _ := b.DB.Query(ctx, `
		SELECT a.appointment, a.patient, '', a.site, s.name, a.room, coalesce(r.name, ''), a.called_in_at
		FROM appointments a
		JOIN sites s ON s.tenant = a.tenant AND s.site = a.site
		LEFT JOIN rooms r ON r.tenant = a.tenant AND r.room = a.room
		WHERE a.tenant = $1 AND a.called_in_at >= $3 AND ($2::uuid IS NULL OR a.site = $2)
		ORDER BY a.called_in_at DESC, a.appointment LIMIT $4`, tenant, idOrNull(at.UUID), since, most)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[CalledIn])
	if err != nil {
		return nil, fmt.Errorf("read who is called in: %w", err)
	}
	patients := make([]patient.ID, len(found))
	for n, c := range found {
		patients[n] = c.Patient
	}
	names, err := b.Names.Find(ctx, tenant, patients...)
	if err != nil {
		return nil, err
	}
	current := found[:0]
	for _, c := range found {
		if name, known := names[c.Patient]; known && name.Name != event.Erased {
			c.Name = name.Name
			current = append(current, c)
		}
	}
	return current, nil
}

func patientsOf(called []CallIn) []patient.ID {
	patients := make([]patient.ID, len(called))
	for n, c := range called {
		patients[n] = c.Patient
	}
	return patients
}
