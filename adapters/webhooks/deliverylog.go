package webhooks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/projections"
)

// DeliveryLog shows how deliveries stand and how they ended, for as long as that
// is kept. It holds no patient's data.
type DeliveryLog struct{ DB projections.Querier }

// Logged is one delivery.
type Logged struct {
	ID          uuid.UUID                `json:"jti"` // the event's id
	Idx         int64                    `json:"idx"` // the event's place in the log
	Event       application.WebhookEvent `json:"event"`
	Tenant      string                   `json:"tenant"`
	Application application.ID           `json:"applicationId"`
	URL         *string                  `json:"url"` // without its query; null when nothing goes there any more
	Status      Status                   `json:"status"`
	Reason      *Reason                  `json:"reason"` // of a failure; null otherwise
	HTTPStatus  *int                     `json:"httpStatus"`
	KID         *string                  `json:"kid"` // of the key that signed it
	HappenedAt  time.Time                `json:"happenedAt"`
	ClaimedAt   *time.Time               `json:"claimedAt"`
	FinishedAt  *time.Time               `json:"finishedAt"`
	ConnectMS   *int                     `json:"connectMs"` // until there was a connection
	AnswerMS    *int                     `json:"answerMs"`  // until the first byte of an answer
}

// Filter chooses deliveries. A field that is zero chooses all.
type Filter struct {
	Tenant      string
	Application application.ID
	Event       application.WebhookEvent
	Status      Status
	Reason      Reason
	Since       time.Time // when the event happened
	Limit       int       // at most so many; 0 finds none
}

const listDeliveries = `
SELECT d.event, d.idx, d.kind, d.tenant, d.application, w.url, d.status, d.reason, d.http_status, d.kid,
	d.happened_at, d.claimed_at, d.finished_at, d.connect_ms, d.answer_ms
FROM deliveries d LEFT JOIN webhooks w ON w.application = d.application AND w.event = d.kind AND w.destination = d.destination
WHERE ($1 = '' OR d.tenant = $1) AND ($2 = '00000000-0000-0000-0000-000000000000'::uuid OR d.application = $2)
	AND ($3 = '' OR d.kind = $3) AND ($4 = '' OR d.status = $4) AND ($5 = '' OR d.reason = $5) AND d.happened_at >= $6
ORDER BY d.event DESC, d.application LIMIT $7`

// List returns the deliveries that a filter chooses, newest events first.
func (l DeliveryLog) List(ctx context.Context, f Filter) ([]Logged, error) {
	rows, _ := l.DB.Query(ctx, listDeliveries, f.Tenant, f.Application, string(f.Event), string(f.Status), string(f.Reason), f.Since, f.Limit)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Logged])
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	for i := range found {
		found[i].tidy()
	}
	return found, nil
}

// tidy turns times to UTC and cuts the query off the address, in which some
// receivers keep a secret.
func (l *Logged) tidy() {
	l.HappenedAt = l.HappenedAt.UTC()
	for _, at := range []*time.Time{l.ClaimedAt, l.FinishedAt} {
		if at != nil {
			*at = at.UTC()
		}
	}
	if l.URL != nil {
		*l.URL, _, _ = strings.Cut(*l.URL, "?")
	}
}
