package history

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// Viewer is a member of staff who has opened a request recently.
type Viewer struct {
	Staff staff.ID
	Name  string
	At    time.Time // the last opening
}

// mostRead and mostViewers limit what [Requests.Viewers] reads of a patient, and returns.
const (
	mostRead    = 200
	mostViewers = 10
)

// viewersOf reads the newest events of the patient, in which the openings are.
const viewersOf = `
SELECT o.staff, s.name, o.at FROM (
	SELECT staff, max(recorded_at) AS at FROM (
		SELECT CASE WHEN name = $3 AND metadata::json #>> '{actor,kind}' = 'staff' THEN (metadata::json #>> '{actor,id}')::uuid END AS staff, data, recorded_at
		FROM events WHERE patient = $2 AND tenant = $1 ORDER BY position DESC LIMIT $7) e
	WHERE staff <> $6 AND data::json ->> 'request' = $4 AND recorded_at > $5
	GROUP BY staff ORDER BY at DESC, staff LIMIT $8) o
CROSS JOIN LATERAL (SELECT name FROM staff WHERE tenant = $1 AND staff = o.staff OFFSET 0) s
ORDER BY o.at DESC, o.staff`

// Viewers returns the members of staff, except one, who have opened a request of a patient since an
// instant, the last one first.
func (q Requests) Viewers(ctx context.Context, tenant string, of patient.ID, id request.ID, since time.Time, except staff.ID) ([]Viewer, error) {
	rows, _ := q.DB.Query(ctx, viewersOf, tenant, of, request.Opened{}.EventName(), id.String(), since, except, mostRead, mostViewers)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Viewer])
	if err != nil {
		return nil, fmt.Errorf("look who has opened a request: %w", err)
	}
	return found, nil
}
