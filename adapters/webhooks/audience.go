package webhooks

import (
	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// Audience selects the applications that are notified of an event: those with an address for
// Address that its practice has enabled.
type Audience struct {
	Kind    application.WebhookEvent // of the webhook
	Address application.WebhookEvent // the kind whose registered address counts
	Only    uuid.UUID                // the only application; zero for all
}

// AudienceOf returns the audience of an event; false if no application is notified of it. An
// event that names no subject has none: it is parked.
func AudienceOf(e event.Event) (Audience, bool) {
	n, tells := noticeOf(e)
	if !tells || n.subject == uuid.Nil {
		return Audience{}, false
	}
	at, only := n.audience()
	a := Audience{Kind: n.kind, Address: at}
	if only != nil {
		a.Only = *only
	}
	return a, true
}
