package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// besideMetrics does something while the metrics are served at an address, if there is one,
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
