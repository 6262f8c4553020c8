package projections

import (
	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// Webhooks is where applications are told of events (§6).
type Webhooks struct{}

// Name implements [Projection].
func (Webhooks) Name() string { return "webhooks.v1" }

// Project implements [Projection].
func (Webhooks) Project(r event.Recorded, do func(sql string, args ...any)) {
	app := r.Stream.ID
	switch e := r.Event.(type) {
	case application.WebhookSet:
		do(`INSERT INTO webhooks (application, event, url, destination) VALUES ($1, $2, $3, $4)
			ON CONFLICT (application, event) DO UPDATE SET url = excluded.url, destination = excluded.destination`,
			app, string(e.Event), e.URL, destinationOf(app, e.URL))
	case application.WebhookRemoved:
		do(`DELETE FROM webhooks WHERE application = $1 AND event = $2`, app, string(e.Event))
	}
}

// destinationOf names what keeps its order and has slots of its own (D31,
// D32): an application's receiver, whichever kinds of event go there.
func destinationOf(app uuid.UUID, url string) uuid.UUID {
	return event.DerivedID("webhook-destination", app.String(), url)
}
