package integrator

import (
	"context"
	"time"

	"frontdesk/domain/application"
)

// Application is how an application is set up at the practice.
type Application struct {
	ApplicationID  application.ID      `json:"applicationId"`
	Name           string              `json:"name"`
	TenantID       string              `json:"tenantId"`
	Enabled        bool                `json:"enabled"`
	Grants         []application.Grant `json:"grants"`
	Callbacks      []string            `json:"callbacks"`
	PatientScoped  bool                `json:"patientScoped"`
	KeySetURL      string              `json:"keySetUrl"`
	Webhooks       []Webhook           `json:"webhooks"`
	Authorisations Authorisations      `json:"authorisations"`
}

// Webhook is where an application is told of events of one kind.
type Webhook struct {
	Event application.WebhookEvent `json:"event"`
	URL   string                   `json:"url"`
}

// Authorisations are how many let the application act for them.
type Authorisations struct {
	Standing      int `json:"standing"`
	PatientScoped int `json:"patientScoped"`
}

// Application asks how the application is set up.
func (c Client) Application(ctx context.Context) (a Application, err error) {
	err = c.get(ctx, "application", nil, &a)
	return a, err
}

// KeySet is what the service knows of the application's key set.
type KeySet struct {
	URL       string    `json:"url"`
	Keys      []HeldKey `json:"keys"` // which are used
	FetchedAt time.Time `json:"fetchedAt,omitzero"`
	Until     time.Time `json:"until,omitzero"` // when they will be read again
	LastFetch Fetch     `json:"lastFetch,omitzero"`
}

// HeldKey is a key that the service uses.
type HeldKey struct {
	KID   string    `json:"kid"`
	Since time.Time `json:"since"`
}

// Fetch is how the last reading of a key set went.
type Fetch struct {
	At          time.Time `json:"at"`
	Outcome     string    `json:"outcome"` // read, unreachable, not-json or no-usable-key
	Description string    `json:"description"`
	Keys        []SeenKey `json:"keys"`
}

// SeenKey is a key that was in the set, and why it cannot be used.
type SeenKey struct {
	KID    string `json:"kid"`
	Usable bool   `json:"usable"`
	Why    string `json:"why,omitzero"`
}

const keySetPath = "application/key-set"

// KeySet asks which keys the service holds.
func (c Client) KeySet(ctx context.Context) (k KeySet, err error) {
	err = c.get(ctx, keySetPath, nil, &k)
	return k, err
}

// ReadKeySet has the service read the key set again. It does so once a minute at most.
func (c Client) ReadKeySet(ctx context.Context) (k KeySet, err error) {
	err = c.post(ctx, keySetPath, nil, &k)
	return k, err
}

// Ping is a test webhook that is on its way.
type Ping struct {
	JTI   string                   `json:"jti"`
	Event application.WebhookEvent `json:"event"`
	URL   string                   `json:"url"`
}

// TestWebhook has a ping sent to where the application is told of an event, once a
// minute at most.
func (c Client) TestWebhook(ctx context.Context, event application.WebhookEvent) (p Ping, err error) {
	err = c.post(ctx, "application/webhooks/test", map[string]any{"event": event}, &p)
	return p, err
}
