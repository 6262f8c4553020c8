package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"time"
)

// CallsQuery narrows Calls.
type CallsQuery struct {
	Status    string // all, answered, refused or unproven
	RequestID string
	Limit     int // of a page, 1 to 200
}

// JudgedCall is a call that the service has judged.
type JudgedCall struct {
	RequestID   string    `json:"requestId"`
	At          time.Time `json:"at"`
	Endpoint    string    `json:"endpoint"`
	Mode        *Mode     `json:"mode"`
	Status      int       `json:"status"`
	Code        *Code     `json:"code"`
	Description *string   `json:"description"`
	Rule        *string   `json:"rule"`
	DurationMS  *int      `json:"durationMs"`
	Unproven    bool      `json:"unproven"` // whether anybody could have made it
}

// Calls are the application's calls at this practice, newest first. Pages are fetched as they
// are needed; an error ends them.
func (c *Client) Calls(ctx context.Context, q CallsQuery) iter.Seq2[JudgedCall, error] {
	query := url.Values{}
	set(query, "status", q.Status)
	set(query, "requestId", q.RequestID)
	return pages(query, q.Limit, func(query url.Values) ([]JudgedCall, string, error) {
		var page struct {
			Calls []JudgedCall `json:"calls"`
			Next  string       `json:"next"`
		}
		err := c.get(ctx, "application/calls", query, &page)
		return page.Calls, page.Next, err
	})
}

// An Outcome is how a webhook stands, or has ended.
type Outcome string

// The outcomes. Only the first two lead to another.
const (
	Pending   Outcome = "pending"
	Sending   Outcome = "sending"
	Delivered Outcome = "delivered"
	Failed    Outcome = "failed"
	TooOld    Outcome = "expired"
	Withdrawn Outcome = "withdrawn"
	Unknown   Outcome = "unknown" // whether it arrived; it is not sent again
)

// DeliveriesQuery narrows Deliveries.
type DeliveriesQuery struct {
	JTI         string
	From, Until time.Time
	Outcome     Outcome
	Limit       int // of a page, 1 to 200
}

// Delivery is a webhook that was sent, or should have been.
type Delivery struct {
	JTI         string     `json:"jti"`
	Event       string     `json:"event"`
	URL         *string    `json:"url"` // as it was then; nil, as what follows, once that is forgotten
	Outcome     Outcome    `json:"outcome"`
	Reason      *string    `json:"reason"`
	Description *string    `json:"description"`
	HappenedAt  time.Time  `json:"happenedAt"`
	SentAt      *time.Time `json:"sentAt"`
	FinishedAt  *time.Time `json:"finishedAt"`
	DurationMS  *int       `json:"durationMs"`
	Status      *int       `json:"status"` // that the receiver answered
}

// Deliveries are the application's webhooks from this practice, newest first, as Calls.
func (c *Client) Deliveries(ctx context.Context, q DeliveriesQuery) iter.Seq2[Delivery, error] {
	query := url.Values{}
	set(query, "jti", q.JTI)
	set(query, "outcome", string(q.Outcome))
	setTime(query, "from", q.From)
	setTime(query, "until", q.Until)
	return pages(query, q.Limit, func(query url.Values) ([]Delivery, string, error) {
		var page struct {
			Deliveries []Delivery `json:"deliveries"`
			Next       string     `json:"next"`
		}
		err := c.get(ctx, "application/deliveries", query, &page)
		return page.Deliveries, page.Next, err
	})
}

func set(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

func setTime(query url.Values, name string, at time.Time) {
	if !at.IsZero() {
		query.Set(name, at.UTC().Format(time.RFC3339Nano))
	}
}

// pages follows the cursors.
func pages[T any](query url.Values, limit int, fetch func(url.Values) (page []T, next string, err error)) iter.Seq2[T, error] {
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return func(yield func(T, error) bool) {
		for {
			page, next, err := fetch(query)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, one := range page {
				if !yield(one, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			query.Set("cursor", next)
		}
	}
}
