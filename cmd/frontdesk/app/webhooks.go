package app

import (
	"context"
	"database/sql"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/adapters/signing"
	"frontdesk/adapters/webhooks"
	"frontdesk/projections"
)

// webhookShared is shared by the fan-out and the sender.
type webhookShared struct {
	queued  *background.Broadcast
	metrics *webhooks.Metrics
}

func (a *App) newWebhookShared() webhookShared {
	a.registry.MustRegister(webhooks.Queue(a.pools.background, a.config.Now))
	return webhookShared{&background.Broadcast{}, webhooks.NewMetrics(a.registry, a.config.Now)}
}

// fanOut returns the consumer of the feed that queues deliveries.
func (a *App) fanOut(db *sql.DB, tail *eventstore.Tail, feed *eventstore.Metrics) *eventstore.Consumer {
	fanOut := webhooks.FanOut{
		Ages:   webhooks.Ages{CallIn: a.config.CallInAgeLimit, Other: a.config.WebhookAgeLimit},
		Queued: a.webhooks.queued, Now: a.config.Now, Metrics: a.webhooks.metrics,
	}
	return &eventstore.Consumer{
		Name: webhooks.FanOutName, DB: db, Tail: tail, Handler: fanOut.Handle, Alone: fanOut.HandleAlone, Follows: fanOut.Follows(),
		Log: a.config.Log, Metrics: feed, Traces: a.traces,
	}
}

// sender returns the sender of queued deliveries.
func (a *App) sender() *webhooks.Sender {
	return &webhooks.Sender{
		DB: a.pools.background, Codec: a.codec, Opens: a.keyring, Signer: &signing.Signer{Vault: a.vault()}, CheckURL: a.guard().CheckURL,
		Client: webhooks.NewClient(a.guard(), a.config.RootCAs), Queued: a.webhooks.queued,
		Now: a.config.Now, RealNow: a.config.RealNow, Timeout: a.config.WebhookTimeout, Sending: a.sending, Log: a.config.Log, Metrics: a.webhooks.metrics,
		Traces: a.traces,
	}
}

// keeper returns the keeper, which ends deliveries that are never sent and deletes old ones.
func (a *App) keeper() webhooks.Keeper {
	return webhooks.Keeper{
		DB: a.pools.background, Now: a.config.Now, RealNow: a.config.RealNow, Retention: a.config.DeliveryRetention, Log: a.config.Log, Metrics: a.webhooks.metrics,
		Swept: func(deliveries int, err error) { a.sweeps.Swept(uploads.SweptDeliveries, int64(deliveries), err) },
	}
}

// canSign makes sure that this process can sign webhooks. The error is one line that includes
// the fix.
func (a *App) canSign(ctx context.Context) error {
	return a.Desk.EnsureSigningKey(ctx)
}

// vault returns where the service's private keys are kept.
func (e *Engine) vault() signing.Vault {
	return signing.Vault{DB: e.calls, Masters: e.config.MasterKeys, Now: e.config.RealNow, Bits: e.config.SigningKeyBits}
}

// SigningKeys reads the public halves of the service's own keys.
func (e *Engine) SigningKeys() projections.SigningKeys { return projections.SigningKeys{DB: e.calls} }

// Deliveries reads the deliveries to applications and their outcomes.
func (e *Engine) Deliveries() webhooks.DeliveryLog { return webhooks.DeliveryLog{DB: e.background} }
