package app

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"frontdesk/adapters/fair"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/postgres/retention"
	"frontdesk/adapters/postgres/uploads"
)

// newRegistry returns the registry of a program that runs for long: with what each of them
// says of itself, and of its pools of connections.
func newRegistry(pools map[string]*pgxpool.Pool) (*prometheus.Registry, error) {
	is, err := ThisVersion()
	if err != nil {
		return nil, err
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "frontdesk_build_info", Help: "1, with the version of this program, its commit, and the version of the database schema that it needs.",
		ConstLabels: prometheus.Labels{"version": is.Version, "commit": is.Commit, "schema": strconv.FormatInt(is.Schema, 10)},
	})
	build.Set(1)
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build, postgres.PoolMetrics(pools))
	return registry, nil
}

// measure registers what is asked of the database when metrics are collected, and the
// metrics of what the engine holds.
func (a *App) measure() {
	c := a.config
	a.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "frontdesk_ready", Help: "1 if calls would be served now, and 0 if not: /readyz says why.",
		}, a.isReady),
		eventstore.Lag(a.background, c.Now), eventstore.Groups(a.store), postgres.ClockOffset(a.pools.background, c.RealNow), keyring.Ages(a.background),
		retention.Ahead(a.background), proving.Reached(a.background, c.Now))
	a.registry.MustRegister(keyring.Metrics(a.keyring)...)
	a.sweeps, a.seating = uploads.NewSweepMetrics(a.registry, c.RealNow), fair.NewMetrics(a.registry)
	a.passwords.Queue.Show(a.seating)
}

// isReady asks by itself, and is none of the checks that are counted: whoever reads
// metrics decides for how long something has to last.
func (a *App) isReady() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), readyLimit)
	defer cancel()
	if a.drain.begun.Load() || a.serves(ctx) != nil {
		return 0
	}
	return 1
}
