package replay

import (
	"context"

	"github.com/jackc/pgx/v5"

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

// Next implements [pages].
func (w within) Next(ctx context.Context, idx int64) ([]event.Recorded, error) {
	if err := use(ctx, w.tx, live); err != nil {
		return nil, err
	}
	log := w.log
	log.Pool = w.tx
	return log.Next(ctx, idx)
}

// ahead reads the next page while the one before is worked on. It is for one
// goroutine; Close waits for its own.
type ahead struct {
	log     postgres.Log
	from    int64 // where the page begins that is being read
	reading chan read
}

type read struct {
	page []event.Recorded
	err  error
}

// Next implements [pages].
func (a *ahead) Next(ctx context.Context, idx int64) ([]event.Recorded, error) {
	got, from := a.wait(), a.from
	if from != idx || len(got.page) == 0 || got.err != nil {
		got.page, got.err = a.log.Next(ctx, idx)
	}
	if got.err == nil && len(got.page) > 0 {
		a.begin(ctx, got.page[len(got.page)-1].Idx)
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
