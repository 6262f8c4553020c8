package applications

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Health is the recent calls and webhooks of an application at a practice.
type Health struct {
	Hours       []Hour       // of the last day, newest first: those with calls or webhooks
	Calls       []RecentCall // the newest that were answered
	Refusals    []RecentCall // the newest that were refused or failed
	Undelivered []FailedDelivery
}

// Hour counts the calls and webhooks of one hour.
type Hour struct {
	At                        time.Time // when the hour began
	Answered, Refused, Failed int       // calls; Failed are those with a status of 500 or more
	Delivered, Undelivered    int       // webhooks; those in progress are neither
}

// RecentCall is a call as managers see it, without the patient.
type RecentCall struct {
	At       time.Time
	Mode     application.Mode
	Endpoint application.EndpointName
	Status   int // HTTP
	Reason   string
	ActedFor string // the member of staff it acted for; "" for none, and for one that the practice never had
}

// FailedDelivery is a webhook that did not arrive.
type FailedDelivery struct {
	At     time.Time // time of the event
	Event  application.WebhookEvent
	Status string
	Reason string // "" for none
}

// Monitor reads the health of applications from the access record and the deliveries
// themselves (D89).
type Monitor struct{ DB projections.Querier }

// These limits hold however busy an application is.
const (
	healthLines  = 5000               // lines of each index, the newest; the page states the limit
	healthKept   = 7 * 24 * time.Hour // their maximum age
	healthDay    = 24 * time.Hour
	healthListed = 10 // of each list
)

// Recent calls and webhooks. $6 is the zone, or the length of each list.
const (
	recentCalls = `
called AS (
	SELECT request_id, at, application, mode, staff, endpoint, status, reason FROM ` + newestByPractice + `
	UNION
	SELECT request_id, at, application, mode, staff, endpoint, status, reason FROM ` + newestByApplication + `)`
	recentDeliveries = `
recent AS (SELECT * FROM ` + newestDeliveries + `)`

	healthByHour = `WITH` + recentCalls + `,` + recentDeliveries + `,
counted AS (
	SELECT at, status < 400 AS answered, status BETWEEN 400 AND 499 AS refused, status >= 500 AS failed, false AS delivered, false AS undelivered FROM called
	UNION ALL
	SELECT happened_at, false, false, false, status = 'delivered', status NOT IN ('delivered', 'pending', 'sending') FROM recent)
SELECT date_trunc('hour', at, $6) AS hour, count(*) FILTER (WHERE answered), count(*) FILTER (WHERE refused), count(*) FILTER (WHERE failed),
	count(*) FILTER (WHERE delivered), count(*) FILTER (WHERE undelivered)
FROM counted WHERE answered OR refused OR failed OR delivered OR undelivered GROUP BY hour ORDER BY hour DESC`

	listCalls = `WITH` + recentCalls + `
SELECT at, mode, endpoint, status, reason, coalesce((SELECT name FROM staff s WHERE s.tenant = $1 AND s.staff = numbered.staff), '')
FROM (SELECT *, row_number() OVER (PARTITION BY status < 400 ORDER BY request_id DESC) AS n FROM called) numbered
WHERE n <= $6 ORDER BY request_id DESC`

	listUndelivered = `WITH` + recentDeliveries + `
SELECT happened_at, kind, status, coalesce(reason, '') FROM recent
WHERE status NOT IN ('delivered', 'pending', 'sending') ORDER BY event DESC LIMIT $6`
)

// Health returns the health of an application at a practice. The instant is real time,
// which identifiers are made from (D96). Hours are those of the clocks in a zone.
func (m Monitor) Health(ctx context.Context, tenant string, app application.ID, now time.Time, zone *time.Location) (found Health, err error) {
	of := subject{m.DB, tenant, app}
	week, day := event.LowestID(now.Add(-healthKept)), event.LowestID(now.Add(-healthDay))
	if found.Hours, err = query[Hour](ctx, of, healthByHour, day, zone.String()); err != nil {
		return Health{}, err
	}
	if found.Undelivered, err = query[FailedDelivery](ctx, of, listUndelivered, week, healthListed); err != nil {
		return Health{}, err
	}
	calls, err := query[RecentCall](ctx, of, listCalls, week, healthListed)
	for _, call := range calls {
		if call.Status < 400 {
			found.Calls = append(found.Calls, call)
		} else {
			found.Refusals = append(found.Refusals, call)
		}
	}
	return found, err
}

// subject is the subject of the statements.
type subject struct {
	db     projections.Querier
	tenant string
	app    application.ID
}

// query plans a statement each time, for the given instant.
func query[Row any](ctx context.Context, of subject, sql string, since uuid.UUID, further any) ([]Row, error) {
	rows, _ := of.db.Query(ctx, sql, pgx.QueryExecModeCacheDescribe, of.tenant, of.app, since, uuid.Max, healthLines, further)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Row])
	if err != nil {
		return nil, fmt.Errorf("look at an application's health: %w", err)
	}
	return found, nil
}
