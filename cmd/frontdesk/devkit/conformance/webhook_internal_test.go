package conformance

import (
	"testing"
	"time"

	"frontdesk/domain/application"
)

// A receiver is checked with every kind that it can be sent.
func TestEveryKindIsChecked(t *testing.T) {
	t.Parallel()
	checked := map[application.WebhookEvent]bool{}
	for _, w := range eachKind(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)) {
		kind, _ := w.claims["event"].(application.WebhookEvent)
		checked[kind] = true
	}
	for _, kind := range append(application.WebhookEvents(), application.Ping) {
		if !checked[kind] {
			t.Errorf("no receiver is checked with %s: add it to eachKind", kind)
		}
	}
}
