package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/mod/sumdb/note"

	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/statedir"
	"frontdesk/domain/proof"
)

// Sign is what a signer is told.
type Sign struct {
	DatabaseURL   string
	Key           notary.Key
	Dir           string   // its state
	Witnesses     []string // submission prefixes
	WitnessKeys   []note.Verifier
	Every         time.Duration // from one round to the next; 0 is the usual
	MetricsListen string        // "" for none
	Log           *slog.Logger

	VerifyAll   bool
	Adopt       bool
	ChangeKey   bool
	AcceptEpoch int
}

const (
	signConnections = 4    // for a round beside the daily reading
	signPage        = 2000 // leaves that are read at once
)

// Run signs until ctx ends.
func (c Sign) Run(ctx context.Context) (err error) {
	dir, err := statedir.Open(c.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	pool, err := openPool(ctx, Config{DatabaseURL: c.DatabaseURL}, signConnections, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := postgres.CheckSchema(ctx, postgres.On(pool)); err != nil {
		return err
	}
	signer, registry := c.Signer(dir, postgres.On(pool)), prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	signer.Metrics = notary.NewMetrics(registry)
	if err := signer.Begin(ctx); err != nil {
		return err
	}
	if c.MetricsListen == "" {
		signer.Run(ctx)
		return nil
	}
	return c.besideMetrics(ctx, registry, signer.Run)
}

// Signer returns a signer of a database, which has begun nothing yet.
func (c Sign) Signer(dir notary.Dir, db postgres.DB) *notary.Signer {
	log := postgres.Log{DB: db, Page: signPage}
	s := &notary.Signer{
		Key: c.Key, Dir: dir, Log: c.Log, Now: time.Now, Every: c.Every,
		Sources: map[proof.Kind]notary.Source{
			proof.Events: eventSource{log},
			proof.Access: accessSource{log, postgres.AccessRecord{DB: db, Page: signPage}},
		},
		Desk: checkpointDesk{postgres.Checkpoints{DB: db}}, Hashes: proving.Trees{DB: db}.Hashes,
		VerifyAll: c.VerifyAll, Adopt: c.Adopt, ChangeKey: c.ChangeKey, AcceptEpoch: c.AcceptEpoch,
	}
	for _, url := range c.Witnesses {
		s.Witnesses = append(s.Witnesses, notary.NewWitness(url, c.WitnessKeys...))
	}
	return s
}

// besideMetrics does something while the metrics are served, and ends with either.
func (c Sign) besideMetrics(ctx context.Context, registry *prometheus.Registry, do func(context.Context)) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry}))
	ctx, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() {
		defer stop()
		served <- Serve(ctx, c.MetricsListen, mux, c.Log)
	}()
	do(ctx)
	stop()
	return <-served
}
