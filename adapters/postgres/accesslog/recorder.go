package accesslog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/domain/access"
)

// Recorder writes the access record without holding up any call (D37).
// Calls hand it their lines and go on; the goroutine in Run writes the lines, many
// at a time. While the database is away the lines wait, up to a limit. Lines beyond
// it are lost, and counted.
type Recorder struct {
	Pool  *pgxpool.Pool
	Keys  *keyring.Keyring // encrypts the practitioners of act claims
	Batch int              // most lines of one transaction

	background.WriteBehind[access.Call] // a line is a few hundred bytes
	repeats                             repeats
	lost                                prometheus.Counter
}

// NewRecorder returns a recorder with the usual limits. It registers the
// counter frontdesk_access_records_lost_total.
func NewRecorder(pool *pgxpool.Pool, registry prometheus.Registerer, log *slog.Logger) *Recorder {
	r := &Recorder{
		Pool: pool, Batch: 500,
		WriteBehind: background.WriteBehind[access.Call]{
			Limit: 1 << 14, Pace: 100 * time.Millisecond, Retry: time.Second, Final: finalLimit,
			Fails: "the access record waits for the database", Log: log,
		},
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "frontdesk_access_records_lost_total",
			Help: "Calls that were judged and are missing in the access record.",
		}),
	}
	registry.MustRegister(r.lost)
	return r
}

// Record takes a call and never waits. A call is lost, and counted, if too many
// are waiting already or if Run has ended. Equal refusals may share a line.
func (r *Recorder) Record(c access.Call) (taken bool) { return r.repeats.fold(c) || r.put(c) }

func (r *Recorder) put(c access.Call) (taken bool) {
	if taken = r.Put(c); !taken {
		r.lost.Add(callsIn(c))
	}
	return taken
}

// callsIn returns the number of calls that a line represents.
func callsIn(line access.Call) float64 { return float64(1 + line.Repeats) }

const (
	writeLimit = 10 * time.Second // for one transaction
	finalLimit = 5 * time.Second  // for all lines that still wait when ctx ends
)

// Run writes lines until ctx ends. Then it has 5 s to write those that still wait.
// Stop the callers of Record before you end ctx.
func (r *Recorder) Run(ctx context.Context) {
	err := r.WriteBehind.Run(ctx, r.flush)
	if err != nil {
		left := r.First(r.Limit)
		for _, c := range left {
			r.lost.Add(callsIn(c))
		}
		r.Log.ErrorContext(ctx, "lines of the access record are lost", slog.Int("lines", len(left)), slog.Any("error", err))
	}
}

// flush writes the waiting lines. The last flush also writes the runs of refusals that
// are not over.
func (r *Recorder) flush(ctx context.Context, last bool) error {
	if last {
		return errors.Join(r.drain(ctx), r.endRuns(ctx))
	}
	for _, c := range r.repeats.due(false) {
		r.put(c)
	}
	return r.drain(ctx)
}

// endRuns writes the lines of all runs. The queue is closed.
func (r *Recorder) endRuns(ctx context.Context) (err error) {
	for lines := range slices.Chunk(r.repeats.due(true), r.Batch) {
		failed := r.write(ctx, lines)
		if err = errors.Join(err, failed); failed == nil {
			continue
		}
		for _, c := range lines {
			r.lost.Add(callsIn(c))
		}
	}
	return err
}

// drain writes full batches one after another, and ends with the first that is
// not full. Lines that arrive meanwhile are left for the next flush.
func (r *Recorder) drain(ctx context.Context) error {
	for {
		batch := r.First(r.Batch)
		if len(batch) == 0 {
			return nil
		}
		if err := r.take(ctx, batch); err != nil {
			return err
		}
		if len(batch) < r.Batch {
			return nil
		}
	}
}

// take writes a batch. If the database refuses it for its content, take writes it
// line by line, so that only the bad line is lost.
func (r *Recorder) take(ctx context.Context, batch []access.Call) error {
	err := r.write(ctx, batch)
	if err == nil {
		r.Remove(len(batch))
		return nil
	}
	if !unwritable(err) {
		return err
	}
	for range batch {
		err := r.write(ctx, r.First(1))
		if err != nil && !unwritable(err) {
			return err
		}
		if err != nil {
			r.lost.Add(callsIn(r.First(1)[0]))
			r.Log.ErrorContext(ctx, "a line of the access record cannot be written", slog.Any("error", err))
		}
		r.Remove(1)
	}
	return nil
}

func (r *Recorder) write(ctx context.Context, calls []access.Call) error {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	lines, err := r.linesOf(ctx, calls)
	if err != nil {
		return fmt.Errorf("write the access record: %w", err)
	}
	batch := &pgx.Batch{}
	batch.Queue(insertCalls, lines.args()...)
	if err := r.Pool.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("write the access record: %w", err)
	}
	return nil
}

// unwritable reports whether Postgres refuses a line for its content, as a data
// exception (22) or a violated constraint (23), and will always do so. A line whose key was
// altered is also unwritable.
func unwritable(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return errors.Is(err, keyring.ErrKeyAltered) || ok && (strings.HasPrefix(refused.Code, "22") || strings.HasPrefix(refused.Code, "23"))
}
