package replay

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/event"
)

// pages are where the log is read.
type pages interface {
	Next(ctx context.Context, idx int64) ([]event.Recorded, error)
}

// within reads the log as a transaction sees it.
type within struct {
	tx  pgx.Tx
	log postgres.Log
}

// Next is the next page after an idx.
func (w within) Next(ctx context.Context, idx int64) ([]event.Recorded, error) {
	if err := use(ctx, w.tx, live); err != nil {
		return nil, err
	}
	log := w.log
	log.DB = w.tx
	return log.Next(ctx, idx)
}

// ahead reads the next page while its user works on the one before. It is for
// one goroutine; Close waits for its own.
type ahead struct {
	log     postgres.Log
	from    int64 // where the page begins that is being read
	reading chan read
}

// readAhead reads through a pool, whichever database the log names.
func readAhead(log postgres.Log, pool *pgxpool.Pool) *ahead {
	log.DB = postgres.On(pool)
	return &ahead{log: log}
}

type read struct {
	page []event.Recorded
	err  error
}

// Next is the next page after an idx, and begins to read the one after that.
func (a *ahead) Next(ctx context.Context, idx int64) ([]event.Recorded, error) {
	got, from := a.wait(), a.from
	if from != idx || len(got.page) == 0 || got.err != nil {
		got.page, got.err = a.log.Next(ctx, idx)
	}
	if got.err == nil && len(got.page) > 0 {
		a.begin(ctx, lastOf(got.page))
	}
	return got.page, got.err
}

func (a *ahead) begin(ctx context.Context, idx int64) {
	reading := make(chan read, 1)
	a.from, a.reading = idx, reading
	go func() {
		page, err := a.log.Next(ctx, idx)
		reading <- read{page, err}
	}()
}

func (a *ahead) wait() (got read) {
	if a.reading != nil {
		got, a.reading = <-a.reading, nil
	}
	return got
}

// Close waits for the page that is being read.
func (a *ahead) Close() { a.wait() }
