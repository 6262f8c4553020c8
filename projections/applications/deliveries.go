package applications

import (
	"bytes"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Deliveries lists an application's webhooks at a practice and their results, from
// the deliveries themselves (D95).
type Deliveries struct{ DB projections.Querier }

// Delivery is a webhook as its application sees it. If it ended long ago, the time
// of sending and the receiver's answer are no longer known (D72).
type Delivery struct {
	JTI        uuid.UUID
	Event      application.WebhookEvent
	URL        string // destination without the query; "" if it is not known
	Outcome    string
	Reason     string // why it did not arrive; "" for none
	HappenedAt time.Time
	SentAt     *time.Time // nil if it was not sent, or is no longer known
	FinishedAt *time.Time // nil if it is in progress
	Status     *int       // HTTP, of the receiver's answer; nil if there was none, or it is no longer known
}

// DeliveryFilter selects deliveries. A zero field does not filter.
type DeliveryFilter struct {
	Bounds
	JTI         uuid.UUID
	From, Until time.Time // time of the event; Until is exclusive
	Outcome     string
}

// deliveriesPage is one statement, like that of calls. It ends where all remaining
// events happened before From.
const deliveriesPage = `
WITH page AS (
	SELECT d.event, d.kind, coalesce(d.url, split_part(w.url, '?', 1), '') AS url, status, coalesce(reason, '') AS reason, kid IS NOT NULL AS signed, http_status,
		happened_at, claimed_at, finished_at
	FROM (SELECT * FROM ` + newestDeliveries + ` AND ($7::timestamptz IS NULL OR happened_at >= $7) AND ($8::timestamptz IS NULL OR happened_at < $8)
		AND ($9 = '' OR status = $9) ORDER BY event DESC LIMIT $6) d
	LEFT JOIN webhooks w ON w.application = d.application AND w.event = d.kind AND w.destination = d.destination),
looked AS (
	SELECT CASE WHEN $7 IS NULL OR happened_at >= $7 - interval '1 hour' THEN event END AS event
	FROM (SELECT event, happened_at FROM ` + practiceDeliveries + ` OFFSET $5 - 1 LIMIT 1) last
	WHERE (SELECT count(*) FROM page) < $6)
SELECT page.*, looked.event FROM (SELECT) one LEFT JOIN looked ON true LEFT JOIN page ON true ORDER BY page.event DESC`

// maxEventDelay is the maximum by which an event's time may be later than its identifier's.
const maxEventDelay = time.Hour

// List returns a page of deliveries.
func (d Deliveries) List(ctx context.Context, a DeliveryFilter) (Page[Delivery], error) {
	since := a.JTI
	if a.JTI != uuid.Nil {
		a.Before = after(a.JTI)
	}
	if !a.Until.IsZero() { // there may be many newer ones
		a.Before = lower(a.Before, event.LowestID(a.Until.Add(maxEventDelay)))
	}
	args := append(a.args(since), orNull(a.From), orNull(a.Until), a.Outcome)
	return readPage(ctx, d.DB, a.Limit, deliveriesPage, args, scanDelivery)
}

// after returns the next higher identifier.
func after(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}

// lower returns the lower of two bounds, of which the first may be unset.
func lower(bound, other uuid.UUID) uuid.UUID {
	if bound == uuid.Nil || bytes.Compare(other[:], bound[:]) < 0 {
		return other
	}
	return bound
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func scanDelivery(row pgx.CollectableRow, reached *uuid.NullUUID) (uuid.UUID, Delivery, error) {
	var id uuid.NullUUID
	var kind, url, outcome, reason *string
	var signed *bool
	var happened, claimed *time.Time
	var d Delivery
	err := row.Scan(&id, &kind, &url, &outcome, &reason, &signed, &d.Status, &happened, &claimed, &d.FinishedAt, reached)
	if err != nil || !id.Valid {
		return uuid.Nil, Delivery{}, err
	}
	d.JTI, d.Event, d.URL, d.Outcome, d.Reason, d.HappenedAt = id.UUID, application.WebhookEvent(*kind), *url, *outcome, *reason, *happened
	if *signed || d.Outcome == "sending" { // a claim may have ended it unsent
		d.SentAt = claimed
	}
	return id.UUID, d, nil
}
