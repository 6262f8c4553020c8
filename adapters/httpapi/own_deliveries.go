package httpapi

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/application"
	"frontdesk/projections"
)

// ownDeliveries is GET ?limit=&cursor=&jti=&from=&until=&outcome= → {deliveries, next}.
func (a *API) ownDeliveries(r *http.Request, caller judged, f *body.Form) (any, error) {
	asked := projections.OwnDeliveriesAsked{
		JTI: f.OptionalID("jti", body.InvalidParameter("jti")), From: f.Moment("from"), Until: f.Moment("until"),
		Outcome: f.Choice("outcome", a.Own.Outcomes...),
	}
	var err error
	if asked.OwnBounds, err = a.ownBounds(caller, f); err != nil {
		return nil, err
	}
	page, err := a.Own.Deliveries(r.Context(), asked)
	if err != nil {
		return nil, err
	}
	answer := ownDeliveriesBody{Deliveries: []ownDeliveryBody{}, Next: a.next(caller, page.Before)}
	for _, d := range page.Rows {
		answer.Deliveries = append(answer.Deliveries, a.ownDelivery(d))
	}
	return answer, nil
}

// ownDeliveryBody is a webhook in the answer to its application.
type ownDeliveryBody struct {
	JTI         uuid.UUID                `json:"jti"`
	Event       application.WebhookEvent `json:"event"`
	URL         *string                  `json:"url"`
	Outcome     string                   `json:"outcome"`
	Reason      *string                  `json:"reason"`
	Description *string                  `json:"description"`
	HappenedAt  time.Time                `json:"happenedAt"`
	SentAt      *time.Time               `json:"sentAt"`
	FinishedAt  *time.Time               `json:"finishedAt"`
	DurationMS  *int64                   `json:"durationMs"`
	Status      *int                     `json:"status"`
}

type ownDeliveriesBody struct {
	Deliveries []ownDeliveryBody `json:"deliveries"`
	Next       *string           `json:"next"`
}

func (a *API) ownDelivery(d projections.OwnDelivery) ownDeliveryBody {
	shown := ownDeliveryBody{
		JTI: d.JTI, Event: d.Event, URL: orNull(d.URL), Outcome: d.Outcome, Reason: orNull(d.Reason),
		HappenedAt: d.HappenedAt.UTC().Truncate(time.Millisecond), SentAt: inMilliseconds(d.SentAt), FinishedAt: inMilliseconds(d.FinishedAt), Status: d.Status,
	}
	if d.Reason != "" {
		shown.Description = orNull(a.Own.Why(d.Reason))
	}
	if d.SentAt != nil && d.FinishedAt != nil {
		shown.DurationMS = new(d.FinishedAt.Sub(*d.SentAt).Milliseconds())
	}
	return shown
}

func inMilliseconds(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC().Truncate(time.Millisecond))
}
