package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/background"
	"frontdesk/adapters/broker"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/feed"
)

// Relay is the configuration of a separate relay process.
type Relay struct {
	DatabaseURL   string
	Broker        broker.Server
	Streams       broker.Streams
	MetricsListen string // "" for none
	Log           *slog.Logger
}

const (
	relayConnections = 2
	relayBytes       = 4 << 20 // of events that are read at once

	// relayPoll is how long a relay of its own rests, because no append wakes it. A look
	// reads the end of an index, and NOTIFY would have every commit of an append wait for a lock.
	relayPoll = 5 * time.Millisecond
	// relayRest is how long a relay waits for the sequencer of its process to wake it.
	relayRest = 250 * time.Millisecond
)

// Run relays until ctx ends, or until the broker holds events that the log has lost.
func (c Relay) Run(ctx context.Context) error {
	if err := c.Broker.Check(); err != nil {
		return err
	}
	pool, err := postgres.NewPool(ctx, c.DatabaseURL, relayConnections)
	if err != nil {
		return err
	}
	defer pool.Close()
	registry, err := newRegistry(map[string]*pgxpool.Pool{"relay": pool})
	if err != nil {
		return err
	}
	relay := &broker.Relay{
		Server: c.Broker, Streams: c.Streams, Metrics: broker.NewMetrics(registry), Log: c.Log,
		Source: &relaySource{db: postgres.On(pool)},
	}
	return besideMetrics(ctx, c.MetricsListen, registry, c.Log, relay.Run)
}

// checkBroker returns an error if a broker is configured but cannot be reached.
func (c *Config) checkBroker() error {
	if len(c.Broker.URLs) == 0 {
		return nil
	}
	return c.Broker.Check()
}

// newRelay returns the relay of the log to the broker, or nil without a broker.
func (a *App) newRelay() *broker.Relay {
	if len(a.config.Broker.URLs) == 0 {
		return nil
	}
	return &broker.Relay{
		Server: a.config.Broker, Streams: a.config.BrokerStreams, Metrics: broker.NewMetrics(a.registry), Log: a.config.Log,
		Source: &relaySource{db: a.background, grown: a.grown},
	}
}

// relayOn relays until ctx ends. If it stops earlier, everything else continues.
func (a *App) relayOn(ctx context.Context) {
	if err := a.relay.Run(ctx); err != nil {
		a.config.Log.ErrorContext(ctx, "relay to the broker stopped", slog.Any("error", err))
	}
}

// relaySource shows the log to a relay.
type relaySource struct {
	db    postgres.DB
	grown *background.Broadcast // nil if no sequencer runs here
	heard <-chan struct{}
}

func (s *relaySource) log() eventstore.Log { return eventstore.Log{DB: s.db} }

// Look returns the current end of the log.
func (s *relaySource) Look(ctx context.Context) (look broker.Look, err error) {
	state, err := s.log().State(ctx)
	if look.Wait = whyPaused(state); err != nil || look.Wait != "" {
		return look, err
	}
	begun, err := s.log().Beginnings(ctx)
	look.Head, look.Epochs = state.Head, feed.Epochs{{Epoch: 1, First: 1}}
	for _, b := range begun {
		look.Epochs = append(look.Epochs, feed.Epoch{Epoch: b.Epoch, First: b.Idx})
	}
	return look, err
}

// Page returns a page of the log.
func (s *relaySource) Page(ctx context.Context, after int64, most int) (broker.Page, error) {
	if s.grown != nil {
		s.heard = s.grown.Next()
	}
	now, err := s.log().Moment(ctx, after, most, relayBytes)
	if err == nil && len(now.Events) > 0 {
		err = s.db.Confirm(ctx) // events that a standby lacks may yet be lost, and the broker would keep them
	}
	return broker.Page(now), err
}

// Rest waits until the log may have grown.
func (s *relaySource) Rest(ctx context.Context) {
	if s.grown == nil {
		background.Sleep(ctx, relayPoll)
		return
	}
	background.Wait(ctx, relayRest, s.heard)
}
