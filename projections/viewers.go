package projections

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
SELECT s.staff, s.name, max(o.recorded_at) AS at
FROM (SELECT name, data, metadata, recorded_at FROM events WHERE patient = $2 AND tenant = $1 ORDER BY position DESC LIMIT $7) o
JOIN staff s ON s.tenant = $1 AND s.staff::text = o.metadata::json #>> '{actor,id}'
WHERE o.name = $3 AND o.data::json ->> 'request' = $4 AND o.recorded_at > $5 AND s.staff <> $6
GROUP BY s.staff, s.name ORDER BY at DESC, s.staff LIMIT $8`

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
