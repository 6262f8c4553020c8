package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/projections"
)

// Schema is where a rebuild keeps its tables until it is done.
const Schema = "frontdesk_rebuild"

// Rebuild makes read models anew while the service runs, and compares them
// with the live ones row by row. It needs the owner's rights.
type Rebuild struct {
	Pool        *pgxpool.Pool
	Log         postgres.Log // its Pool is not used
	Projections []projections.Projection
	Fresh       bool // forget what an earlier run, which was stopped, has done
	Switch      bool // put right what differs
	Now         func() time.Time
	Progress    func(done, all int64) // events; nil for nobody
}

// Result is what a rebuild has found.
type Result struct {
	Idx         int64         `json:"idx"` // the head of the log when it compared
	Differences []Difference  `json:"differences"`
	Switched    bool          `json:"switched"` // the live tables hold what the log says
	Held        time.Duration `json:"-"`        // how long a switch has let appends wait
}

// Run rebuilds, compares and, if asked to, switches. What it has built stays,
// for the next run, when ctx ends and when there are differences left.
func (r *Rebuild) Run(ctx context.Context) (Result, error) {
	if r.Fresh {
		if err := drop(ctx, r.Pool, Schema); err != nil {
			return Result{}, fmt.Errorf("forget the last rebuild: %w", err)
		}
	}
	shadow, err := open(ctx, r.Pool, Schema, r.Projections)
	if err != nil {
		return Result{}, err
	}
	defer shadow.Close()
	if err := r.approach(ctx, shadow); err != nil {
		return Result{}, fmt.Errorf("rebuild: %w", err)
	}
	result, err := r.finish(ctx, shadow)
	if err != nil {
		return result, fmt.Errorf("compare what was rebuilt: %w", err)
	}
	if len(result.Differences) == 0 || result.Switched {
		err = drop(ctx, shadow.conn, Schema)
	}
	return result, err
}

// near is how few events may be left for the one last transaction.
const near = 500

// approach brings the shadow close to the live tables, in short transactions.
func (r *Rebuild) approach(ctx context.Context, s *Shadow) error {
	log := &ahead{log: r.Log}
	log.log.Pool = r.Pool
	defer log.Close()
	for {
		var at, targets places
		err := pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) (err error) {
			if targets, _, err = s.targets(ctx, tx); err != nil {
				return err
			}
			at, err = s.step(ctx, tx, log, targets)
			return err
		})
		if err != nil {
			return err
		}
		r.report(at, targets)
		if at.within(near, targets) {
			return nil
		}
	}
}

func (p places) within(n int64, targets places) bool {
	for name, target := range targets {
		if target-p[name] > n {
			return false
		}
	}
	return true
}

func (r *Rebuild) report(at, targets places) {
	if r.Progress == nil {
		return
	}
	furthest := int64(0)
	for _, target := range targets {
		furthest = max(furthest, target)
	}
	r.Progress(min(at.lowest(), furthest), furthest)
}

// targets is how far the live tables have come, as the transaction sees them:
// those kept at once to the head of the log (and past it), the others to where
// their consumers are.
func (s *Shadow) targets(ctx context.Context, tx pgx.Tx) (targets places, head int64, err error) {
	if err := tx.QueryRow(ctx, `SELECT head FROM public.sequencer`).Scan(&head); err != nil {
		return nil, 0, fmt.Errorf("read the head of the log: %w", err)
	}
	targets = places{}
	for _, p := range s.projections {
		idx := head
		if !isAtOnce(p.Name()) {
			err := tx.QueryRow(ctx, `SELECT coalesce((SELECT idx FROM public.feed_offsets WHERE consumer = $1), 0)`, p.Name()).Scan(&idx)
			if err != nil {
				return nil, 0, fmt.Errorf("read how far %s has come: %w", p.Name(), err)
			}
		}
		targets[p.Name()] = idx
	}
	return targets, head, nil
}

// finish compares at one instant. Without a switch that is a snapshot, which
// nobody waits for; with one, nothing is appended and no consumer moves until
// it is done.
func (r *Rebuild) finish(ctx context.Context, s *Shadow) (Result, error) {
	if !r.Switch {
		return r.look(ctx, s)
	}
	for attempt := 1; ; attempt++ {
		result, err := r.change(ctx, s)
		busy, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || busy.Code != lockNotAvailable || attempt == lockAttempts {
			return result, err
		}
		select {
		case <-ctx.Done():
			return Result{}, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

const (
	lockNotAvailable = "55P03"
	lockAttempts     = 60
	lockPause        = 500 * time.Millisecond
)

// errOnlyLooked rolls back what a comparison has added to the shadow.
var errOnlyLooked = errors.New("only looked")

func (r *Rebuild) look(ctx context.Context, s *Shadow) (result Result, err error) {
	err = pgx.BeginTxFunc(ctx, s.conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		if err := r.catchUp(ctx, tx, s, &result); err != nil {
			return err
		}
		if result.Differences, err = s.compare(ctx, tx, r.Now()); err != nil {
			return err
		}
		return errOnlyLooked
	})
	if errors.Is(err, errOnlyLooked) {
		err = nil
	}
	return result, err
}

func (r *Rebuild) change(ctx context.Context, s *Shadow) (result Result, err error) {
	var locked time.Time
	err = pgx.BeginFunc(ctx, s.conn, func(tx pgx.Tx) error {
		if err := s.lock(ctx, tx); err != nil {
			return err
		}
		locked = r.Now()
		if err := r.catchUp(ctx, tx, s, &result); err != nil {
			return err
		}
		if result.Differences, err = s.compare(ctx, tx, r.Now()); err != nil {
			return err
		}
		return s.mendAll(ctx, tx, r.Now())
	})
	result.Switched, result.Held = err == nil, r.Now().Sub(locked)
	return result, err
}

// lock stops appends and the consumers of the shadow's projections. It waits
// for neither of them long: whoever comes meanwhile would wait as well.
func (s *Shadow) lock(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '250ms'`); err != nil {
		return err
	}
	atOnce := false
	for _, p := range s.projections {
		if isAtOnce(p.Name()) {
			atOnce = true
			continue
		}
		for _, statement := range []string{
			`INSERT INTO public.feed_offsets (consumer) VALUES ($1) ON CONFLICT DO NOTHING`,
			`SELECT FROM public.feed_offsets WHERE consumer = $1 FOR UPDATE`,
		} {
			if _, err := tx.Exec(ctx, statement, p.Name()); err != nil {
				return err
			}
		}
	}
	if atOnce {
		_, err := tx.Exec(ctx, `LOCK TABLE public.events IN SHARE MODE`)
		return err
	}
	return nil
}

// catchUp brings the shadow to where the live tables are in this transaction.
func (r *Rebuild) catchUp(ctx context.Context, tx pgx.Tx, s *Shadow, result *Result) error {
	targets, head, err := s.targets(ctx, tx)
	if err != nil {
		return err
	}
	result.Idx = head
	for {
		at, err := s.step(ctx, tx, within{tx, r.Log}, targets)
		if err != nil {
			return err
		}
		if len(at.behind(targets)) == 0 {
			return s.unsequenced(ctx, tx, r.Log)
		}
	}
}

func (s *Shadow) mendAll(ctx context.Context, tx pgx.Tx, now time.Time) error {
	for _, p := range s.projections {
		for _, table := range projections.TablesOf(p) {
			if err := s.mend(ctx, tx, table, now); err != nil {
				return err
			}
		}
	}
	left, err := s.compare(ctx, tx, now)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("table %s still differs", left[0].Table)
	}
	return err
}
