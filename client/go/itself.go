package client

import (
	"context"
	"time"
)

// Mode is the caller of a call (§5.3).
type Mode string

// The modes.
const (
	ApplicationRestricted Mode = "application-restricted"
	UserRestricted        Mode = "user-restricted"
)

// Pong is the caller as the service sees it.
type Pong struct {
	TenantID        string     `json:"tenantId"`
	ApplicationID   string     `json:"applicationId"`
	Mode            Mode       `json:"mode"`
	Username        *string    `json:"username"`        // of a user-restricted call
	AuthorisedUntil *time.Time `json:"authorisedUntil"` // when the user's authorisation ends
}

// Ping returns the caller as the service sees it.
func (c *Client) Ping(ctx context.Context, options ...CallOption) (pong Pong, err error) {
	err = c.get(ctx, "ping", nil, &pong, options)
	return pong, err
}

// Application is this application's rights at this practice.
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

// RegisteredWebhook is the address of an event.
type RegisteredWebhook struct {
	Event string `json:"event"`
	URL   string `json:"url"`
}

// Authorisations count the staff who let the application act for them.
type Authorisations struct {
	Standing      int `json:"standing"`
	PatientScoped int `json:"patientScoped"`
}

// Application returns this application's rights at this practice.
func (c *Client) Application(ctx context.Context, options ...CallOption) (application Application, err error) {
	err = c.get(ctx, "application", nil, &application, options)
	return application, err
}

// KeySet is the service's copy of the application's key set. The times and LastFetch are zero while
// the process that answers has not fetched it.
type KeySet struct {
	URL       string    `json:"url"`
	Keys      []HeldKey `json:"keys"`
	FetchedAt time.Time `json:"fetchedAt,omitzero"`
	Until     time.Time `json:"until,omitzero"` // time of the next fetch
	LastFetch Fetch     `json:"lastFetch,omitzero"`
}

// HeldKey is a key that the service accepts.
type HeldKey struct {
	KID   string    `json:"kid"`
	Since time.Time `json:"since"`
}

// Fetch is the result of fetching the key set.
type Fetch struct {
	At          time.Time `json:"at"`
	Outcome     string    `json:"outcome"` // read, unreachable, not-json or no-usable-key
	Description string    `json:"description"`
	Keys        []ReadKID `json:"keys"`
}

// ReadKID is a key of the fetched set.
type ReadKID struct {
	KID    string `json:"kid"`
	Usable bool   `json:"usable"`
	Why    string `json:"why,omitzero"` // it is not usable
}

// KeySet returns the service's copy of the application's key set.
func (c *Client) KeySet(ctx context.Context, options ...CallOption) (set KeySet, err error) {
	err = c.get(ctx, "application/key-set", nil, &set, options)
	return set, err
}

// RereadKeySet makes the service fetch the application's key set now, at most once a minute.
func (c *Client) RereadKeySet(ctx context.Context, options ...CallOption) (set KeySet, err error) {
	err = c.post(ctx, "application/key-set", struct{}{}, nil, &set, options)
	return set, err
}

// TestedWebhook is the ping that will be sent.
type TestedWebhook struct {
	JTI   string `json:"jti"`
	Event string `json:"event"`
	URL   string `json:"url"`
}

// TestWebhook makes the service send a [Ping] to the event's address, at most once a minute.
func (c *Client) TestWebhook(ctx context.Context, event string, options ...CallOption) (tested TestedWebhook, err error) {
	err = c.post(ctx, "application/webhooks/test", map[string]string{"event": event}, nil, &tested, options)
	return tested, err
}
