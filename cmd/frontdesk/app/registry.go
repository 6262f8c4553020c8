package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/postgres/retention"
	"frontdesk/adapters/postgres/uploads"
)

// newRegistry returns the registry of a long-running program: its build information, its
// process metrics and its connection pools.
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

// measure registers the metrics that query the database when they are collected, and those of
// the engine's state.
func (a *App) measure() {
	c := a.config
	a.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "frontdesk_ready", Help: "1 if calls would be served now, and 0 if not: /readyz gives the reason.",
		}, a.isReady),
		eventstore.Lag(a.background, c.Now), eventstore.Groups(a.store), postgres.ClockOffset(a.pools.background, c.Machine), keyring.Ages(a.background),
		retention.Ahead(a.background), proving.Reached(a.background, c.Now))
	a.registry.MustRegister(keyring.Metrics(a.keyring)...)
	a.sweeps, a.admission = uploads.NewSweepMetrics(a.registry, c.RealNow), admission.NewMetrics(a.registry)
	a.passwords.Queue.RegisterMetrics(a.admission)
}

// isReady makes its own check and is not counted with the others: the reader of metrics
// decides how long a failure has to last.
func (a *App) isReady() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), readyLimit)
	defer cancel()
	if a.drain.begun.Load() || a.serves(ctx) != nil {
		return 0
	}
	return 1
}

// besideMetrics runs a function while the metrics are served at an address, if there is one,
// and ends with either.
func besideMetrics(ctx context.Context, listen string, registry *prometheus.Registry, log *slog.Logger, do func(context.Context) error) error {
	if listen == "" {
		return do(ctx)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry}))
	ctx, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() {
		defer stop()
		served <- Serve(ctx, listen, mux, log)
	}()
	err := do(ctx)
	stop()
	return errors.Join(err, <-served)
}
