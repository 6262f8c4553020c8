package page

import (
	"time"

	"frontdesk.example/client"
	"frontdesk/cmd/frontdesk/dev/forward"
	"frontdesk/cmd/frontdesk/sandbox"
	"frontdesk/domain/application"
)

// State is what the page shows.
type State struct {
	Name        string
	Application application.ID
	KeyDir      string
	KeyFile     string
	JWKSURL     string
	Signing     string // kid of the key that signs
	Next        string // kid of the key that will; "" if none is published
	Receives    string // where webhooks are received
	ForwardTo   string // where they are handed on to; "" for nowhere
	Lines       []Line // what has happened, newest first

	SandboxDir string
	Own        bool          // the sandbox was started with dev, and stops with it
	Away       string        // why nothing new can be said of the sandbox; "" while it is there
	Now        time.Time     // by its clock
	Clock      time.Duration // how far its clock is ahead of real time
	APIURL     string        // {base_url}/transactional-api; "" before a sandbox was there
	DocsURL    string        // the service's reference, which ends with /
	TenantID   string
	StaffURL   string
	Username   string // of whom the application may act for
	Patients   []sandbox.Patient
	Events     []application.WebhookEvent

	About      client.Application
	KeySet     client.KeySet
	Calls      []client.JudgedCall
	Deliveries []Delivery
}

// Line is something that has happened.
type Line struct {
	At    time.Time
	Text  string
	Wrong bool
}

// Delivery is a webhook: what the service says of it, and what became of it here. One of
// both may be nil.
type Delivery struct {
	At    time.Time
	Event string
	JTI   string
	Told  *client.Delivery
	Here  *forward.Webhook
}
