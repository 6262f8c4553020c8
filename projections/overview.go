package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/request"
	"frontdesk/domain/site"
)

// Overview counts the requests and the appointments of a practice. It reads no patient.
type Overview struct{ DB Querier }

// WaitingRequests counts the requests of a type that are not done.
type WaitingRequests struct {
	Type      request.Type
	New, Open int        // no one has it, or someone; counting stops at [MostCounted]
	Later     int        // was put off until a later day
	Oldest    *time.Time // when the oldest new one was submitted; nil without one
}

// Waiting returns the counts of each type. Today is the present date at the practice.
func (o Overview) Waiting(ctx context.Context, tenant, today string) ([]WaitingRequests, error) {
	const ofType = ` AND type = t.type`
	counting := `
WITH a AS MATERIALIZED (SELECT $1::text AS tenant, $3::date AS today)
SELECT t.type, ` + countOf(ofType+isNew, due) + `, ` + countOf(ofType+isOpen, due) + `, ` + countOf(ofType+isLater, later) + `,
	(SELECT min(o.submitted_at) FROM unnest('{true,false}'::boolean[]) u (urgent) CROSS JOIN LATERAL (SELECT submitted_at FROM inbox
		WHERE tenant = a.tenant AND type = t.type AND urgent = u.urgent` + isNew + due + ` ORDER BY submitted_at, request LIMIT 1) o)
FROM a CROSS JOIN unnest($2::text[]) WITH ORDINALITY t (type, n) ORDER BY t.n`
	rows, _ := o.DB.Query(ctx, counting, tenant, request.Types(), today)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[WaitingRequests])
	if err != nil {
		return nil, fmt.Errorf("count the requests that wait: %w", err)
	}
	return found, nil
}

// HourOfRequests counts the requests received and completed in an hour.
type HourOfRequests struct {
	Type           request.Type
	Hour           int // from the instant that was asked for
	Received, Done int
}

// A day's requests are those that are not done and came that day, and those that were done that
// day: each read from one index for each type and urgency.
const hoursOfRequests = `
WITH a AS MATERIALIZED (SELECT $1::text AS tenant, $2::text[] AS types, '{true,false}'::boolean[] AS urgents, $3::timestamptz AS since),
r AS (SELECT i.*, a.since FROM a CROSS JOIN LATERAL unnest(a.types) t (type) CROSS JOIN LATERAL unnest(a.urgents) u (urgent) CROSS JOIN LATERAL (
	(SELECT type, submitted_at, done_at FROM inbox WHERE tenant = a.tenant AND type = t.type AND urgent = u.urgent` + isNew + ` AND submitted_at >= a.since ORDER BY submitted_at LIMIT 10000)
	UNION ALL
	(SELECT type, submitted_at, done_at FROM inbox WHERE tenant = a.tenant AND type = t.type AND urgent = u.urgent` + isOpen + ` AND submitted_at >= a.since ORDER BY submitted_at LIMIT 10000)
	UNION ALL
	(SELECT type, submitted_at, done_at FROM inbox WHERE tenant = a.tenant AND type = t.type AND urgent = u.urgent` + isDone + ` AND done_at >= a.since ORDER BY done_at LIMIT 10000)) i)
SELECT type, floor(extract(epoch FROM at - since) / 3600)::int AS hour, sum(received)::int, sum(done)::int FROM (
	SELECT type, since, submitted_at AS at, 1 AS received, 0 AS done FROM r WHERE submitted_at >= since
	UNION ALL
	SELECT type, since, done_at, 0, 1 FROM r WHERE done_at IS NOT NULL) w
GROUP BY type, hour ORDER BY hour, type`

// Hours returns the counts of each hour since an instant, without hours in which nothing
// happened. It stops at 10,000 requests of each type, urgency and state.
func (o Overview) Hours(ctx context.Context, tenant string, since time.Time) ([]HourOfRequests, error) {
	rows, _ := o.DB.Query(ctx, hoursOfRequests, tenant, request.Types(), since)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[HourOfRequests])
	if err != nil {
		return nil, fmt.Errorf("count the requests of a day: %w", err)
	}
	return found, nil
}

// DayOfSite counts the appointments of a site by their state.
type DayOfSite struct {
	Site                                                         site.ID
	Name                                                         string
	Booked, Arrived, CalledIn, Attended, DidNotAttend, Cancelled int
}

const daysOfSites = `
SELECT s.site, s.name, count(*) FILTER (WHERE status = 'booked' AND arrived_at IS NULL), count(*) FILTER (WHERE status = 'booked' AND arrived_at IS NOT NULL),
	count(*) FILTER (WHERE status = 'called-in'), count(*) FILTER (WHERE status = 'attended'),
	count(*) FILTER (WHERE status = 'did-not-attend'), count(*) FILTER (WHERE status = 'cancelled')
FROM (SELECT * FROM sites WHERE tenant = $1 ORDER BY name, site LIMIT 50) s
LEFT JOIN LATERAL (SELECT status, arrived_at FROM appointments WHERE tenant = s.tenant AND site = s.site AND starts_at >= $2 AND starts_at < $3
	ORDER BY starts_at LIMIT 5000) a ON true
GROUP BY s.site, s.name ORDER BY s.name, s.site`

// Sites returns the counts of each of the first 50 sites between two instants. It stops at 5,000
// appointments of a site.
func (o Overview) Sites(ctx context.Context, tenant string, from, until time.Time) ([]DayOfSite, error) {
	rows, _ := o.DB.Query(ctx, daysOfSites, tenant, from, until)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[DayOfSite])
	if err != nil {
		return nil, fmt.Errorf("count the appointments of a day: %w", err)
	}
	return found, nil
}
