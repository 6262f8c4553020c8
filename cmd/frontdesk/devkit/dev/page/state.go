package page

import (
	"time"

	"frontdesk.example/client"
	"frontdesk/cmd/frontdesk/devkit/dev/forward"
	"frontdesk/cmd/frontdesk/devkit/reference"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/domain/application"
)

// State is the data that the page shows.
type State struct {
	Name        string
	Application application.ID
	KeyDir      string
	KeyFile     string
	JWKSURL     string
	Signing     string // kid of the key that signs
	Next        string // kid of the next signing key; "" if none is published
	Receives    string // where webhooks are received
	ForwardTo   string // where they are forwarded; "" for nowhere
	Lines       []Line // events, newest first

	SandboxDir string
	Own        bool          // the sandbox was started with dev, and stops with it
	Away       string        // why the sandbox's state is unknown; "" while it answers
	Now        time.Time     // by its clock
	Clock      time.Duration // how far its clock is ahead of real time
	APIURL     string        // {base_url}/transactional-api; "" before a sandbox was there
	DocsURL    string        // the service's reference, which ends with /
	TenantID   string
	StaffURL   string
	Username   string // of the users of the application
	Patients   []sandbox.Patient
	Events     []application.WebhookEvent
	Examples   map[string]reference.Example // a call of each endpoint, by its name

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

// Delivery is a webhook: the service's record of it, and its outcome here. One of both may be
// nil.
type Delivery struct {
	At       time.Time
	Event    string
	JTI      string
	Reported *client.Delivery
	Here     *forward.Webhook
}
