package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/mod/sumdb/note"

	"frontdesk/adapters/background"
	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/statedir"
	"frontdesk/domain/proof"
)

// Sign is the configuration of a signer.
type Sign struct {
	DatabaseURL   string
	Key           notary.Key
	Dir           string   // its state
	Witnesses     []string // submission prefixes
	WitnessKeys   []note.Verifier
	Every         time.Duration // from one round to the next; 0 is the usual
	RereadEvery   time.Duration // the mean wait before all leaves are read again; 0 is the usual
	MetricsListen string        // "" for none
	Log           *slog.Logger
	Now           func() time.Time

	VerifyAll   bool
	Adopt       bool
	ChangeKey   bool
	AcceptEpoch int
}

const (
	signConnections = 4    // for a round during the rereading
	signPage        = 2000 // leaves that are read at once

	signWait     = 2 * time.Second // for a database that is away
	signTry      = time.Minute     // to begin
	signSayAgain = 450             // tries, which takes between half an hour and some hours
)

// Run signs until ctx ends.
func (c Sign) Run(ctx context.Context) (err error) {
	dir, err := statedir.Open(c.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	pool, err := postgres.NewPool(ctx, c.DatabaseURL, signConnections)
	if err != nil {
		return err
	}
	defer pool.Close()
	registry, err := newRegistry(map[string]*pgxpool.Pool{"signer": pool})
	if err != nil {
		return err
	}
	db := postgres.On(pool)
	signer := c.Signer(dir, db)
	signer.Metrics = notary.NewMetrics(registry)
	begun := tryBegin(ctx, signer, db)
	if begun != nil && !postgres.Away(begun) {
		return begun
	}
	return besideMetrics(ctx, c.MetricsListen, registry, c.Log, func(ctx context.Context) error { return c.sign(ctx, begun, signer, db) })
}

// sign signs until ctx ends, once the database is there if it was away.
func (c Sign) sign(ctx context.Context, begun error, signer *notary.Signer, db postgres.DB) error {
	for tries := 0; postgres.Away(begun); tries++ {
		if tries%signSayAgain == 0 {
			c.Log.WarnContext(ctx, "the database is unavailable; signing waits for it", slog.Any("error", begun))
		}
		if !background.Sleep(ctx, signWait) {
			return nil
		}
		begun = tryBegin(ctx, signer, db)
	}
	switch {
	case begun == nil:
		signer.Run(ctx)
	case ctx.Err() == nil:
		return begun
	}
	return nil
}

func tryBegin(ctx context.Context, signer *notary.Signer, db postgres.DB) error {
	ctx, cancel := context.WithTimeout(ctx, signTry)
	defer cancel()
	if err := postgres.CheckSchema(ctx, db); err != nil {
		return err
	}
	return signer.Begin(ctx)
}

// Signer returns a signer of a database, which has begun nothing yet.
func (c Sign) Signer(dir notary.Dir, db postgres.DB) *notary.Signer {
	log := eventstore.Log{DB: db, Page: signPage}
	s := &notary.Signer{
		Key: c.Key, Dir: dir, Log: c.Log, Now: c.Now, Every: c.Every, RereadEvery: c.RereadEvery,
		Sources: map[proof.Kind]notary.Source{
			proof.Events: eventSource{log},
			proof.Access: accessSource{log, accesslog.Record{DB: db, Page: signPage}},
		},
		Publisher: checkpointPublisher{accesslog.Checkpoints{DB: db}}, Hashes: proving.Trees{DB: db}.Hashes,
		VerifyAll: c.VerifyAll, Adopt: c.Adopt, ChangeKey: c.ChangeKey, AcceptEpoch: c.AcceptEpoch,
	}
	for _, url := range c.Witnesses {
		s.Witnesses = append(s.Witnesses, notary.NewWitness(url, c.WitnessKeys...))
	}
	return s
}
