package application_test

import (
	"testing"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

const receiver = "https://app.example/webhooks?from=frontdesk"

var (
	webhookSet     = application.WebhookSet{Event: application.RecordOpened, URL: receiver}
	webhookRemoved = application.WebhookRemoved{Event: application.RecordOpened}
)

func setWebhook(kind application.WebhookEvent, url string) func(app) (events, error) {
	return func(a app) (events, error) { return a.SetWebhook(kind, url) }
}

func removeWebhook(kind application.WebhookEvent) func(app) (events, error) {
	return func(a app) (events, error) { return a.RemoveWebhook(kind) }
}

func TestWebhookIsSetPerEventKind_6(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[app]
	moved := application.WebhookSet{Event: application.RecordOpened, URL: "https://other.example/"}
	other := application.WebhookSet{Event: application.CallInShown, URL: receiver}

	given(registered).When(setWebhook(application.RecordOpened, receiver)).Then(t, webhookSet)
	given(registered, webhookSet).When(setWebhook(application.RecordOpened, receiver)).Then(t)
	given(registered, webhookSet).When(setWebhook(application.RecordOpened, moved.URL)).Then(t, moved)
	given(registered, webhookSet).When(setWebhook(application.CallInShown, receiver)).Then(t, other)
	given(registered, webhookSet).When(removeWebhook(application.RecordOpened)).Then(t, webhookRemoved)
	given(registered, webhookSet).When(removeWebhook(application.CallInShown)).Then(t)
	given(registered, webhookSet, webhookRemoved).When(removeWebhook(application.RecordOpened)).Then(t)
	given(registered, webhookSet, webhookRemoved).When(setWebhook(application.RecordOpened, receiver)).Then(t, webhookSet)
	given().When(setWebhook(application.RecordOpened, receiver)).Refuses(t, application.ErrUnknown)
	given().When(removeWebhook(application.RecordOpened)).Refuses(t, application.ErrUnknown)
}

func TestOnlyTheEventKindsOf6_1HaveWebhooks(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[app]
	for _, kind := range application.WebhookEvents() {
		given(registered).When(setWebhook(kind, receiver)).Then(t, application.WebhookSet{Event: kind, URL: receiver})
	}
	for _, kind := range []application.WebhookEvent{"", "ping", "Record.Opened", "record.*"} {
		given(registered).When(setWebhook(kind, receiver)).Refuses(t, application.ErrUnknownEvent)
		given(registered).When(removeWebhook(kind)).Refuses(t, application.ErrUnknownEvent)
	}
}

func TestWebhooksGoToHTTPSOnly_6_3(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "http://app.example/", "http://127.0.0.1/", "app.example", "ftp://app.example/", "https", ":"} {
		eventtest.Given[app](registered).When(setWebhook(application.RecordOpened, url)).Refuses(t, application.ErrWebhookNotHTTPS)
	}
}

func TestApplyLeavesOlderWebhooksAlone(t *testing.T) {
	t.Parallel()
	before := event.Fold[app](registered, webhookSet)
	before.Apply(webhookRemoved)
	eventtest.Given[app](registered).When(func(app) (events, error) {
		return before.SetWebhook(application.RecordOpened, receiver)
	}).Then(t)
}

func TestStoredWebhookEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, webhookSet, webhookRemoved)
}
