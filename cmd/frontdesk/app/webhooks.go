package app

import (
	"context"
	"database/sql"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/webhooks"
	"frontdesk/commands"
	"frontdesk/projections"
)

// telling is what tells applications of events.
type telling struct {
	queued  *postgres.Bell
	metrics *webhooks.Metrics
}

func (a *App) newTelling() telling {
	a.registry.MustRegister(webhooks.Queue(a.pools.background, a.config.Now))
	return telling{&postgres.Bell{}, webhooks.NewMetrics(a.registry)}
}

// fanOut queues deliveries; it is one more consumer of the feed.
func (a *App) fanOut(db *sql.DB, feed *postgres.Metrics) *postgres.Consumer {
	fanOut := webhooks.FanOut{
		Ages:   webhooks.Ages{CallIn: a.config.CallInAgeLimit, Other: a.config.WebhookAgeLimit},
		Queued: a.telling.queued, Now: a.config.Now, Metrics: a.telling.metrics,
	}
	return &postgres.Consumer{
		Name: webhooks.FanOutName, DB: db, Codec: a.codec, Handler: fanOut.Handle, Follows: fanOut.Follows(),
		Grown: a.grown, Log: a.config.Log, Metrics: feed,
	}
}

// sender sends them.
func (a *App) sender() *webhooks.Sender {
	return &webhooks.Sender{
		DB: a.pools.background, Codec: a.codec, Vault: a.vault(), CheckURL: a.guard().CheckURL,
		Client: webhooks.NewClient(a.guard(), a.config.RootCAs), Queued: a.telling.queued,
		Now: a.config.Now, Timeout: a.config.WebhookTimeout, Log: a.config.Log, Metrics: a.telling.metrics,
	}
}

// keeper ends those that nobody sends.
func (a *App) keeper() webhooks.Keeper {
	return webhooks.Keeper{
		DB: a.pools.background, Now: a.config.Now, Retention: a.config.DeliveryRetention, Log: a.config.Log, Metrics: a.telling.metrics,
	}
}

// canSign makes sure that this process can sign webhooks. The error is one
// line that says what to do.
func (a *App) canSign(ctx context.Context) error {
	ensure := commands.EnsureSigningKeyHandler{Store: a.store, Vault: a.vault(), Now: a.config.Now}
	return ensure.Handle(ctx, commands.EnsureSigningKey{})
}

// keySet is the key set that receivers fetch (§4.3).
func (a *App) keySet() func(context.Context) ([]byte, error) {
	keys := &webhooks.KeySet{Keys: a.SigningKeys()}
	return func(ctx context.Context) ([]byte, error) {
		document, err := keys.Document(ctx)
		return document, postgres.Fault(err)
	}
}

// vault keeps the service's private keys.
func (e *Engine) vault() webhooks.Vault {
	return webhooks.Vault{DB: e.pools.calls, Master: e.config.MasterKey, Now: e.config.Now}
}

// SigningKeys is the service's own keys, public halves only.
func (e *Engine) SigningKeys() projections.SigningKeys { return projections.SigningKeys{DB: e.calls} }

// Deliveries is what has been told to applications, and how that went.
func (e *Engine) Deliveries() webhooks.DeliveryLog { return webhooks.DeliveryLog{DB: e.background} }
