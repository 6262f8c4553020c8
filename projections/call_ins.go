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

// CallIns reads who is called in from the rows of [Appointments], for boards and programs.
type CallIns struct {
	DB    Querier
	Names Names
}

// CallIn is a patient who is called in.
type CallIn struct {
	Appointment appointment.ID
	Patient     patient.ID
	Called      string // the patient's name as it is shown
	Site        site.ID
	SiteName    string
	Room        *site.RoomID // nil if none is assigned
	RoomName    string
	At          time.Time
}

// Current lists at most the given number of patients who are called in since an instant, the newest
// first: at a site, or at all sites if it is zero. Since the practice's midnight, these are today's.
// It includes every call-in that was stored before.
func (c CallIns) Current(ctx context.Context, tenant string, at site.ID, by display.Naming, since time.Time, most int) ([]CallIn, error) {
	rows, _ := c.DB.Query(ctx, `
		SELECT a.appointment, a.patient, '', a.site, s.name, a.room, coalesce(r.name, ''), a.called_in_at
		FROM appointments a
		JOIN sites s ON s.tenant = a.tenant AND s.site = a.site
		LEFT JOIN rooms r ON r.tenant = a.tenant AND r.room = a.room
		WHERE a.tenant = $1 AND a.called_in_at >= $3 AND ($2::uuid IS NULL OR a.site = $2)
		ORDER BY a.called_in_at DESC, a.appointment LIMIT $4`, tenant, idOrNull(at.UUID), since, most)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[CallIn])
	if err != nil {
		return nil, fmt.Errorf("read who is called in: %w", err)
	}
	return c.named(ctx, tenant, by, found)
}

// named adds the names of the patients to call-ins. Numbers need no name, so none is
// decrypted. Otherwise it leaves out erased patients.
func (c CallIns) named(ctx context.Context, tenant string, by display.Naming, found []CallIn) (named []CallIn, err error) {
	var names map[patient.ID]PatientName
	if by.NeedsName() {
		patients := make([]patient.ID, len(found))
		for n, called := range found {
			patients[n] = called.Patient
		}
		if names, err = c.Names.Find(ctx, tenant, patients...); err != nil {
			return nil, err
		}
	}
	for _, called := range found {
		name, known := names[called.Patient]
		if by.NeedsName() && (!known || name.Name == event.Erased) {
			continue
		}
		called.Called = by.Format(name.Name, called.Appointment.Number())
		named = append(named, called)
	}
	return named, nil
}
