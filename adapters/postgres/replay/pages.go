package replay

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
)

// pages reads the log, page by page.
type pages interface {
	Next(ctx context.Context, idx int64) ([]event.Recorded, error)
}

// within reads the log in a transaction's snapshot.
type within struct {
	tx  pgx.Tx
	log eventstore.Log
}

// Next returns the page after an idx.
func (w within) Next(ctx context.Context, idx int64) ([]event.Recorded, error) {
	if err := use(ctx, w.tx, live); err != nil {
		return nil, err
	}
	log := w.log
	log.DB = w.tx
	return log.Next(ctx, idx)
}

// ahead reads the next page while its user processes the one before. It is not safe for
// concurrent use. Close waits for the goroutine that reads.
type ahead struct {
	log     pages
	from    int64 // the page after this idx is being read
	reading chan read
}

// next reads the log for the rebuild in a transaction's snapshot.
func (r *Rebuild) next(tx pgx.Tx) pages {
	if r.elsewhere != nil {
		return r.elsewhere
	}
	return within{tx, r.Log}
}

// ahead reads the log for the rebuild in advance.
func (r *Rebuild) ahead() *ahead {
	if r.elsewhere != nil {
		return &ahead{log: r.elsewhere}
	}
	return readAhead(r.Log, r.Pool)
}

// readAhead reads the log through a pool, instead of the log's own DB: all of it, or
// that of some tenants.
func readAhead(log eventstore.Log, pool *pgxpool.Pool, tenants ...string) *ahead {
	log.DB = postgres.On(pool)
	if len(tenants) > 0 {
		return &ahead{log: log.OfTenants(tenants...)}
	}
	return &ahead{log: log}
}

type read struct {
	page []event.Recorded
	err  error
}

// Next returns the page after an idx, and begins to read the one after it.
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

// lastOf returns the idx of the last event of a page, and 0 if the page is empty.
func lastOf(page []event.Recorded) int64 {
	if len(page) == 0 {
		return 0
	}
	return page[len(page)-1].Idx
}
