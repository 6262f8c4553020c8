package application

import (
	"net/url"
	"slices"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// WebhookEvent is a kind of event that applications are told of (§6.1).
type WebhookEvent string

// The event kinds (§6.1).
const (
	RecordOpened        WebhookEvent = "record.opened"
	ConsultationStarted WebhookEvent = "consultation.started"
	CallInShown         WebhookEvent = "callin.notification.shown"
	CallInRemoved       WebhookEvent = "callin.notification.removed"
)

// WebhookEvents lists every event kind.
func WebhookEvents() []WebhookEvent {
	return []WebhookEvent{RecordOpened, ConsultationStarted, CallInShown, CallInRemoved}
}

// WebhookSet says where webhooks of one event kind are sent from now on.
type WebhookSet struct {
	Event WebhookEvent `json:"event"`
	URL   string       `json:"url"`
}

// WebhookRemoved says that none of that kind are sent any more.
type WebhookRemoved struct {
	Event WebhookEvent `json:"event"`
}

// EventName implements [event.Event].
func (WebhookSet) EventName() string { return "application.webhook-set.v1" }

// EventName implements [event.Event].
func (WebhookRemoved) EventName() string { return "application.webhook-removed.v1" }

// What is no event kind and no address for a webhook.
var (
	ErrUnknownEvent = fault.New(fault.Invalid, "unknown-event",
		"The event is record.opened, consultation.started, callin.notification.shown or callin.notification.removed.")
	ErrWebhookNotHTTPS = fault.New(fault.Invalid, "webhook-not-https", "Webhooks are sent to https addresses only.")
)

// SetWebhook is rule 6. Which hosts may be called is the deployment's matter
// and was judged before.
func (a Application) SetWebhook(kind WebhookEvent, address string) ([]event.Event, error) {
	parsed, err := url.Parse(address)
	switch {
	case !slices.Contains(WebhookEvents(), kind):
		return nil, ErrUnknownEvent
	case err != nil || parsed.Scheme != "https":
		return nil, ErrWebhookNotHTTPS
	}
	return a.change(a.webhooks[kind] != address, WebhookSet{kind, address})
}

// RemoveWebhook undoes SetWebhook.
func (a Application) RemoveWebhook(kind WebhookEvent) ([]event.Event, error) {
	if !slices.Contains(WebhookEvents(), kind) {
		return nil, ErrUnknownEvent
	}
	return a.change(a.webhooks[kind] != "", WebhookRemoved{kind})
}
