package client

import (
	"context"
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
func (c *Client) Ping(ctx context.Context, options ...CallOption) (pong Pong, err error) {
	err = c.get(ctx, "ping", nil, &pong, options)
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
func (c *Client) Application(ctx context.Context, options ...CallOption) (application Application, err error) {
	err = c.get(ctx, "application", nil, &application, options)
	return application, err
}

// KeySet is what the service holds of the application's key set. The times and LastFetch are
// zero while the process that answers has not fetched it.
type KeySet struct {
	URL       string    `json:"url"`
	Keys      []HeldKey `json:"keys"`
	FetchedAt time.Time `json:"fetchedAt,omitzero"`
	Until     time.Time `json:"until,omitzero"` // when it is fetched again
	LastFetch Fetch     `json:"lastFetch,omitzero"`
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
	KID    string `json:"kid"`
	Usable bool   `json:"usable"`
	Why    string `json:"why,omitzero"` // it is not usable
}

// KeySet asks what the service holds of the application's key set.
func (c *Client) KeySet(ctx context.Context, options ...CallOption) (set KeySet, err error) {
	err = c.get(ctx, "application/key-set", nil, &set, options)
	return set, err
}

// RereadKeySet has the service read the application's key set now, at most once a minute.
func (c *Client) RereadKeySet(ctx context.Context, options ...CallOption) (set KeySet, err error) {
	err = c.post(ctx, "application/key-set", struct{}{}, nil, &set, options)
	return set, err
}

// TestedWebhook is the ping that is on its way.
type TestedWebhook struct {
	JTI   string `json:"jti"`
	Event string `json:"event"`
	URL   string `json:"url"`
}

// TestWebhook has the service send a [Ping] to where the event's webhooks go, at most once a
// minute.
func (c *Client) TestWebhook(ctx context.Context, event string, options ...CallOption) (tested TestedWebhook, err error) {
	err = c.post(ctx, "application/webhooks/test", map[string]string{"event": event}, nil, &tested, options)
	return tested, err
}
