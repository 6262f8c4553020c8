package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"time"
)

// CallsQuery narrows Calls. Its zero value selects all.
type CallsQuery struct {
	Status         string // all, answered, refused or unproven
	RequestID      string
	IdempotencyKey string // only the newest calls with this key
	Limit          int    // of a page, 1 to 200; 0 for the service's default
	Cursor         string // of the first page; empty for the newest
}

// JudgedCall is a call that the service has judged. Fields that do not apply to it are zero.
type JudgedCall struct {
	RequestID   string    `json:"requestId"`
	At          time.Time `json:"at"`
	Endpoint    string    `json:"endpoint"`
	Mode        Mode      `json:"mode,omitzero"`
	Status      int       `json:"status"`
	Code        Code      `json:"code,omitzero"`
	Description string    `json:"description,omitzero"`
	Rule        string    `json:"rule,omitzero"`
	Errors      []Problem `json:"errors,omitempty"`   // all of the answer
	UserAgent   string    `json:"userAgent,omitzero"` // name and version of the program that called
	Replayed    bool      `json:"replayed,omitzero"`  // whether an earlier call with the key was answered
	Repeats     int       `json:"repeats,omitzero"`   // equal refusals in the minute before it that are not listed
	DurationMS  int       `json:"durationMs,omitzero"`
	Unproven    bool      `json:"unproven"` // whether any sender could have made it
}

// CallsPage is a page of calls, newest first.
type CallsPage struct {
	Calls []JudgedCall `json:"calls"`
	Next  string       `json:"next"` // the cursor of the next page; empty for the last
}

// CallsPage fetches one page of the application's calls at this practice.
func (c *Client) CallsPage(ctx context.Context, q CallsQuery, options ...CallOption) (page CallsPage, err error) {
	query := pageQuery(q.Limit, q.Cursor)
	set(query, "status", q.Status)
	set(query, "requestId", q.RequestID)
	set(query, "idempotencyKey", q.IdempotencyKey)
	err = c.get(ctx, "application/calls", query, &page, options)
	return page, err
}

// Calls are the application's calls at this practice, newest first. Pages are fetched on demand; an
// error ends the sequence.
func (c *Client) Calls(ctx context.Context, q CallsQuery, options ...CallOption) iter.Seq2[JudgedCall, error] {
	return pages(q.Cursor, func(cursor string) ([]JudgedCall, string, error) {
		q.Cursor = cursor
		page, err := c.CallsPage(ctx, q, options...)
		return page.Calls, page.Next, err
	})
}

// An Outcome is the state of a webhook, or its end.
type Outcome string

// The outcomes. All except the first two are final.
const (
	Pending   Outcome = "pending"
	Sending   Outcome = "sending"
	Delivered Outcome = "delivered"
	Failed    Outcome = "failed"
	TooOld    Outcome = "expired"
	Withdrawn Outcome = "withdrawn"
	Unknown   Outcome = "unknown" // it may have arrived; it is not sent again
)

// DeliveriesQuery narrows Deliveries. Its zero value selects all.
type DeliveriesQuery struct {
	JTI         string
	From, Until time.Time
	Outcome     Outcome
	Limit       int    // of a page, 1 to 200; 0 for the service's default
	Cursor      string // of the first page; empty for the newest
}

// Delivery is a webhook that was sent, or should have been.
type Delivery struct {
	JTI         string    `json:"jti"`
	Event       string    `json:"event"`
	URL         string    `json:"url,omitzero"` // at that time; this and the following fields are empty once they are deleted
	Outcome     Outcome   `json:"outcome"`
	Reason      string    `json:"reason,omitzero"`
	Description string    `json:"description,omitzero"`
	HappenedAt  time.Time `json:"happenedAt"`
	SentAt      time.Time `json:"sentAt,omitzero"`
	FinishedAt  time.Time `json:"finishedAt,omitzero"`
	DurationMS  int       `json:"durationMs,omitzero"`
	Status      int       `json:"status,omitzero"` // of the receiver's answer; 0 without one
}

// DeliveriesPage is a page of deliveries, newest first.
type DeliveriesPage struct {
	Deliveries []Delivery `json:"deliveries"`
	Next       string     `json:"next"` // the cursor of the next page; empty for the last
}

// DeliveriesPage fetches one page of the application's webhooks from this practice.
func (c *Client) DeliveriesPage(ctx context.Context, q DeliveriesQuery, options ...CallOption) (page DeliveriesPage, err error) {
	query := pageQuery(q.Limit, q.Cursor)
	set(query, "jti", q.JTI)
	set(query, "outcome", string(q.Outcome))
	setTime(query, "from", q.From)
	setTime(query, "until", q.Until)
	err = c.get(ctx, "application/deliveries", query, &page, options)
	return page, err
}

// Deliveries are the application's webhooks from this practice, newest first, fetched like Calls.
func (c *Client) Deliveries(ctx context.Context, q DeliveriesQuery, options ...CallOption) iter.Seq2[Delivery, error] {
	return pages(q.Cursor, func(cursor string) ([]Delivery, string, error) {
		q.Cursor = cursor
		page, err := c.DeliveriesPage(ctx, q, options...)
		return page.Deliveries, page.Next, err
	})
}

func pageQuery(limit int, cursor string) url.Values {
	query := url.Values{}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	set(query, "cursor", cursor)
	return query
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
func pages[T any](first string, fetch func(cursor string) (page []T, next string, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for cursor := first; ; {
			page, next, err := fetch(cursor)
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
			cursor = next
		}
	}
}
