package history

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/domain/application"
	"frontdesk/domain/catalogue"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Own reads the record about a member of staff: sign-ins, entries in the timelines of
// patients, and lines of the access record.
type Own struct{ DB projections.Querier }

// OwnSignIn is a session of the member.
type OwnSignIn struct {
	At  time.Time
	How staff.How
}

// SignIns lists at most the given number of sign-ins before an instant, newest first. A zero
// instant begins with the newest.
func (o Own) SignIns(ctx context.Context, tenant string, member staff.ID, before time.Time, most int) ([]OwnSignIn, error) {
	return ownRows[OwnSignIn](ctx, o.DB, `SELECT at, how FROM sign_ins WHERE tenant = $1 AND staff = $2 AND at < coalesce($3::timestamptz, 'infinity') ORDER BY at DESC, session LIMIT $4`,
		tenant, member, pgtype.Timestamptz{Time: before, Valid: !before.IsZero()}, most)
}

// OwnEntry is an entry that the member has made in the timeline of a patient, such as an opening.
type OwnEntry struct {
	Idx     int64
	Kind    catalogue.Kind
	Patient patient.ID
	At      time.Time
}

// Entries lists at most the given number of entries before an idx, newest first. A zero idx begins
// with the newest.
func (o Own) Entries(ctx context.Context, tenant string, member staff.ID, before int64, most int) ([]OwnEntry, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return ownRows[OwnEntry](ctx, o.DB, `SELECT idx, kind, patient, at FROM timeline WHERE tenant = $1 AND actor = $2 AND idx < $3 ORDER BY idx DESC LIMIT $4`,
		tenant, event.Staff(member.UUID).String(), before, most)
}

// OwnLine is a line of the access record: a page that showed patients, or a call of an application
// for the member.
type OwnLine struct {
	RequestID   uuid.UUID
	At          time.Time
	Mode        application.Mode
	Endpoint    application.EndpointName // of a page, its topic
	Application string                   // "" for a page
	Patients    int                      // shown by a page
	Status      int                      // of a call
}

// Lines lists at most the given number of lines before one, newest first. A zero identifier begins
// with the newest.
func (o Own) Lines(ctx context.Context, tenant string, member staff.ID, before uuid.UUID, most int) ([]OwnLine, error) {
	if before == uuid.Nil {
		before = uuid.Max
	}
	return ownRows[OwnLine](ctx, o.DB, `
		SELECT r.request_id, r.at, r.mode, r.endpoint, coalesce(a.name, ''), CASE WHEN r.mode = 'page' THEN coalesce(jsonb_array_length(r.act::jsonb -> 'patients'), 0) ELSE 0 END, r.status
		FROM (SELECT * FROM access_record WHERE staff = $2 AND tenant = $1 AND request_id < $3 ORDER BY request_id DESC LIMIT $4) r
		LEFT JOIN LATERAL (SELECT name FROM applications WHERE application = r.application OFFSET 0) a ON true ORDER BY r.request_id DESC`, tenant, member, before, most)
}

func ownRows[Row any](ctx context.Context, db projections.Querier, sql string, args ...any) ([]Row, error) {
	rows, _ := db.Query(ctx, sql, args...)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Row])
	if err != nil {
		return nil, fmt.Errorf("read the record about a member of staff: %w", err)
	}
	return found, nil
}
