package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"time"
)

// Mode is for whom a call is made (§5.3).
type Mode string

// The modes.
const (
	ApplicationRestricted Mode = "application-restricted"
	UserRestricted        Mode = "user-restricted"
)

// Pong is how the service sees the caller.
type Pong struct {
	TenantID        string     `json:"tenantId"`
	ApplicationID   string     `json:"applicationId"`
	Mode            Mode       `json:"mode"`
	Username        *string    `json:"username"`        // of a user-restricted call
	AuthorisedUntil *time.Time `json:"authorisedUntil"` // when the user's authorisation ends
}

// Ping asks how the service sees the caller.
func (c *Client) Ping(ctx context.Context) (pong Pong, err error) {
	err = c.get(ctx, "ping", nil, &pong)
	return pong, err
}

// Application is what this application may do at this practice.
type Application struct {
	ApplicationID  string              `json:"applicationId"`
	Name           string              `json:"name"`
	TenantID       string              `json:"tenantId"`
	Enabled        bool                `json:"enabled"` // by the practice
	Grants         []Grant             `json:"grants"`
	Callbacks      []string            `json:"callbacks"`
	PatientScoped  bool                `json:"patientScoped"`
	KeySetURL      string              `json:"keySetUrl"`
	Webhooks       []RegisteredWebhook `json:"webhooks"`
	Authorisations Authorisations      `json:"authorisations"`
}

// Grant is an endpoint that may be called in a mode.
type Grant struct {
	Endpoint string `json:"endpoint"`
	Mode     Mode   `json:"mode"`
}

// RegisteredWebhook is where an event is sent.
type RegisteredWebhook struct {
	Event string `json:"event"`
	URL   string `json:"url"`
}

// Authorisations count who lets the application act for them.
type Authorisations struct {
	Standing      int `json:"standing"`
	PatientScoped int `json:"patientScoped"`
}

// Application asks what this application may do at this practice.
func (c *Client) Application(ctx context.Context) (application Application, err error) {
	err = c.get(ctx, "application", nil, &application)
	return application, err
}

// KeySet is what the service holds of the application's key set.
type KeySet struct {
	URL       string     `json:"url"`
	Keys      []HeldKey  `json:"keys"`
	FetchedAt *time.Time `json:"fetchedAt"`
	Until     *time.Time `json:"until"` // when it is fetched again
	LastFetch *Fetch     `json:"lastFetch"`
}

// HeldKey is a key that the service takes.
type HeldKey struct {
	KID   string    `json:"kid"`
	Since time.Time `json:"since"`
}

// Fetch is what came of reading the key set.
type Fetch struct {
	At          time.Time `json:"at"`
	Outcome     string    `json:"outcome"` // read, unreachable, not-json or no-usable-key
	Description string    `json:"description"`
	Keys        []ReadKID `json:"keys"`
}

// ReadKID is a key that was found there.
type ReadKID struct {
	KID    string  `json:"kid"`
	Usable bool    `json:"usable"`
	Why    *string `json:"why"` // it is not usable
}

// KeySet asks what the service holds of the application's key set.
func (c *Client) KeySet(ctx context.Context) (set KeySet, err error) {
	err = c.get(ctx, "application/key-set", nil, &set)
	return set, err
}

// RereadKeySet has the service read the application's key set now, at most once a minute.
func (c *Client) RereadKeySet(ctx context.Context) (set KeySet, err error) {
	err = c.post(ctx, "application/key-set", struct{}{}, nil, &set)
	return set, err
}

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

// TestedWebhook is the ping that is on its way.
type TestedWebhook struct {
	JTI   string `json:"jti"`
	Event string `json:"event"`
	URL   string `json:"url"`
}

// TestWebhook has the service send a [Ping] to where the event's webhooks go, at most once a
// minute.
func (c *Client) TestWebhook(ctx context.Context, event string) (tested TestedWebhook, err error) {
	err = c.post(ctx, "application/webhooks/test", map[string]string{"event": event}, nil, &tested)
	return tested, err
}
