package app

import (
	"context"
	"log/slog"
	"os"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/background"
	"frontdesk/adapters/bearer"
	"frontdesk/adapters/broker"
	"frontdesk/adapters/outbound"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/adapters/staffweb/live"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/projections"
	"frontdesk/projections/patientindex"
)

// App is an engine and everything that serves with it.
type App struct {
	*Engine
	public, private *server
	readiness       readiness
	keys            *bearer.KeyCache
	consumers       []*eventstore.Consumer
	recorder        *accesslog.Recorder
	journal         *signin.Journal
	consistency     *eventstore.ConsistencyCheck
	erasedWatch     *erasedWatch
	patientIndex    *patientindex.Index
	live            *live.Hub
	webhooks        webhookShared
	relay           *broker.Relay // nil without a broker
	registry        *prometheus.Registry
	admission       *admission.Metrics
	sweeps          *uploads.SweepMetrics
	drain           drain

	sending context.Context // of webhooks; when it ends, they are broken off
	abandon context.CancelFunc
}

// New opens the engine and listens on the addresses. It serves nothing before [App.Run]. The
// error is one line that includes the fix.
func New(ctx context.Context, config Config) (*App, error) {
	if err := config.checkBroker(); err != nil {
		return nil, err
	}
	engine, err := Open(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := engine.mayServe(ctx); err != nil {
		engine.Close()
		return nil, err
	}
	a := &App{Engine: engine}
	if a.registry, err = newRegistry(engine.pools.named()); err != nil {
		engine.Close()
		return nil, err
	}
	a.measure()
	a.keys = bearer.NewKeyCache(bearer.KeyCacheConfig{
		Transport: outbound.NewTransport(a.guard(), config.RootCAs),
		CheckURL:  a.guard().CheckURL,
		TTL:       a.config.JWKSCache,
		Now:       a.config.RealNow,
		Warn:      a.warnOfPrivateKeys,
		Registry:  a.registry,
	})
	a.recorder = accesslog.NewRecorder(a.pools.background, a.registry, a.config.Log)
	a.recorder.Keys = a.keyring
	a.journal = a.newJournal()
	a.consistency = eventstore.NewConsistencyCheck(a.background, a.registry, a.config.Log)
	a.erasedWatch = a.newErasedWatch(a.registry)
	a.patientIndex = a.PatientIndex()
	a.webhooks = a.newWebhookShared()
	a.relay = a.newRelay()
	a.drain.delay, a.drain.limit = a.config.DrainDelay, a.config.ShutdownLimit
	a.sending, a.abandon = context.WithCancel(context.Background())
	tail := eventstore.NewTail(a.background, a.codec, a.grown)
	a.consumers = a.following(tail)
	a.live = live.NewHub(a.watch(tail), a.config.RealNow, a.config.Log, live.NewMetrics(a.registry))
	a.live.RegisterMetrics(a.admission)
	a.drain.first = a.live.Close
	if err := a.canSign(ctx); err != nil {
		a.Close()
		return nil, err
	}
	if err := a.listen(ctx); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// following returns the consumers of the feed: one for each projection that follows it,
// and the fan-out of webhooks.
func (a *App) following(tail *eventstore.Tail) []*eventstore.Consumer {
	db, metrics := stdlib.OpenDBFromPool(a.pools.background), eventstore.NewMetrics(a.registry)
	var consumers []*eventstore.Consumer
	for _, p := range projections.Following() {
		consumers = append(consumers, &eventstore.Consumer{
			Name: p.Name(), DB: db, Tail: tail, Handler: eventstore.Following(p), Follows: p.Follows(), Log: a.config.Log, Metrics: metrics, Traces: a.traces,
		})
	}
	return append(consumers, a.fanOut(db, tail, metrics))
}

// URL returns the address of the public listener on this machine.
func (a *App) URL() string { return a.public.url() }

// PrivateURL returns the address of the private listener, or "" without one.
func (a *App) PrivateURL() string { return a.private.url() }

// Run serves until ctx ends. Then it reports that it is not ready, and keeps serving for the
// drain delay. It finishes the calls that it has accepted, stops the background work, and
// closes the app.
func (a *App) Run(ctx context.Context) error {
	defer a.Close()
	return during(ctx, a.stages(), func() error { return serve(ctx, &a.drain, a.public, a.private) })
}

// stages returns the background work in the order in which it starts. It stops in reverse:
// calls have ended when the recorders stop, and consumers when the sequencer does.
func (a *App) stages() [][]task {
	follow := []task{
		{"keyring", func(ctx context.Context) { a.keyring.Follow(ctx, a.grown, a.config.Log) }},
		{"master keys", a.masterHolder().Run},
		{"clock", a.clock.Run},
		{"sweeper", a.sweeper().Run},
		{"webhook sender", a.sender().Run},
		{"webhook keeper", a.keeper().Run},
		{"comparer", a.consistency.Run},
		{"erasures", a.erasedWatch.Run},
		{"book", background.Loop{Every: patientindex.TidyInterval, Do: a.patientIndex.Tidy}.Run},
		{"live pages", a.live.Run},
		{"prover", proving.NewProver(a.pools.background, a.grown, a.config.Log).Run},
	}
	for _, c := range a.consumers {
		follow = append(follow, task{c.Name, c.Run})
	}
	if a.relay != nil {
		follow = append(follow, task{"relay", a.relayOn})
	}
	return [][]task{
		{{"sequencer", a.Sequencer.Run}},
		follow,
		{{"access recorder", a.recorder.Run}, {"sign-in journal", a.journal.Run}},
	}
}

// Hurry makes [App.Run] end quickly: calls and webhooks under way get a moment and are then
// aborted. Aborted work is lost.
func (a *App) Hurry() {
	a.drain.hasty.Store(true)
	a.abandon()
}

// newJournal returns the journal that records sign-ins in the log, after their answers.
func (a *App) newJournal() *signin.Journal {
	store := &eventstore.Store{DB: a.background, Codec: a.codec, AtOnce: projections.AtOnce(), Now: a.config.Now, Clock: a.clock, Appended: a.appended}
	a.registry.MustRegister(eventstore.Altered(a.store, store))
	tries := signin.Tries{DB: a.background, Lockout: a.config.Lockout, Now: a.config.RealNow}
	journal := signin.NewJournal(store, a.background, tries, a.registry, a.config.Log)
	journal.Now = a.config.Now
	return journal
}

// masterHolder returns the follower of the master keys.
func (a *App) masterHolder() *keyring.MasterHolder {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return &keyring.MasterHolder{Keys: a.keyring, Host: host, Read: a.config.ReadMasterKeys, Log: a.config.Log}
}

// sweeper returns the sweeper of expired files and answers.
func (a *App) sweeper() *uploads.Sweeper {
	files := &uploads.Store{DB: a.background, Now: a.config.RealNow}
	return &uploads.Sweeper{DB: a.background, Uploads: files, Now: a.config.Now, RealNow: a.config.RealNow, Clock: a.clock, Log: a.config.Log, Metrics: a.sweeps}
}

// Close frees the addresses and the connections. It may be called twice.
func (a *App) Close() {
	a.public.close()
	a.private.close()
	a.abandon()
	a.keys.Close()
	a.Engine.Close()
}

// Facts are the facts about a process that begins to serve, for one line of the log: its
// database, its addresses and its limits.
func (a *App) Facts(ctx context.Context) ([]slog.Attr, error) {
	schema, err := postgres.SchemaVersion()
	if err != nil {
		return nil, err
	}
	roles, err := postgres.RolesOf(ctx, a.background)
	if err != nil {
		return nil, err
	}
	c := a.config
	return []slog.Attr{
		slog.String("url", a.URL()), slog.String("private_url", a.PrivateURL()), slog.Bool("pprof", c.Profiles), slog.Bool("relays", a.relay != nil),
		slog.String("api_domain", c.APIDomain), slog.String("auth_url", c.AuthURL),
		slog.Int64("schema", schema), slog.String("role", roles.Serves), slog.String("owner", roles.Owner),
		slog.String("durability", string(c.Durability)),
		slog.Group("traces", slog.String("url", c.Traces.URL), slog.Float64("share", c.Traces.Share)),
		slog.Group("connections", slog.Int("calls", int(c.CallConnections)), slog.Int("background", int(c.BackgroundConnections)),
			slog.Int("uploads", int(c.UploadConnections))),
		slog.Group("limits", slog.Int("calls_in_flight", c.CallsInFlight), slog.Float64("rate", c.RateLimit), slog.Int64("daily_bytes", c.DailyBytes),
			slog.Duration("webhook_timeout", c.WebhookTimeout), slog.Duration("drain_delay", c.DrainDelay)),
	}, nil
}
