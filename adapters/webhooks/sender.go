package webhooks

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/domain/event"
)

// Sender sends what is queued: at most once (D29), in order for each subject
// (D31), and without letting one receiver delay another (D32). Any number of
// processes may run one. All fields but Metrics are needed.
type Sender struct {
	DB       *pgxpool.Pool
	Codec    *event.Codec
	Vault    Vault
	Client   *http.Client              // from [NewClient]
	CheckURL func(rawURL string) error // refuses what may not be called any more
	Queued   interface {
		Next() <-chan struct{} // closed when this process has queued something
	}
	Now     func() time.Time
	Timeout time.Duration // for one delivery, from dialling to the end of the answer (§6.3: 10 s)
	Log     *slog.Logger
	Metrics *Metrics

	keys   keyRing
	tokens *tokens
}

// sender of statements: a pool, a connection or a transaction.
type sender interface {
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
}

// Run sends until ctx ends, then waits for what is in flight and writes down
// how it ended. What waits is left to others, or to the next start.
//
// One goroutine, this one, owns the lanes and talks to the database. Each
// delivery in flight has one of its own, which sends it and does nothing else.
func (s *Sender) Run(ctx context.Context) {
	s.keys.vault = s.Vault
	s.tokens = newTokens(s.Now, runtime.GOMAXPROCS(0))
	r := &round{Sender: s, lanes: newLanes(), done: make(chan outcome, overAll)}
	for ctx.Err() == nil {
		queued := s.Queued.Next() // before looking, so that nothing is slept through
		if wait := r.turn(ctx); wait > 0 {
			r.rest(ctx, queued, wait)
		}
	}
	r.finish(ctx)
}
