package webhooks

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/tracing"
	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
)

// Sender sends what is queued: at most once (D29), in order for each subject,
// and without letting one receiver delay another. Any number of processes may
// run one. All fields except Metrics and Traces are needed.
type Sender struct {
	DB    *pgxpool.Pool
	Codec *event.Codec
	Opens interface {
		// OpenEach returns events with their personal values, and why one could not be opened.
		OpenEach(ctx context.Context, stored []event.Stored) (opened []event.Recorded, failed []error, err error)
	}
	Signer interface {
		// With returns what makes a JWT of a payload with the key of this kid.
		With(ctx context.Context, kid signingkey.KID) (sign func(payload []byte) (jwt string, err error), err error)
	}
	Client   *http.Client              // from [NewClient]
	CheckURL func(rawURL string) error // refuses addresses that must not be called any more
	Queued   interface {
		Next() <-chan struct{} // closed when this process has queued something
	}
	Now     func() time.Time // the practice's clock, by which deliveries grow too old
	RealNow func() time.Time // the receivers' clock, by which webhooks are signed; and how long things take
	Sending context.Context  // when it ends, what is in flight is broken off; nil for never
	Timeout time.Duration    // for one delivery, from dialling to the end of the answer
	Log     *slog.Logger
	Metrics *Metrics
	Traces  *tracing.Tracer

	tokens *tokens
}

// Run sends until ctx ends, then waits for what is in flight and writes down how
// it ended. What still waits is left to other processes or to the next start, what
// is claimed and was not begun included.
//
// The goroutine that calls it owns the lanes and talks to the database. Each
// delivery that is claimed has one of its own, which signs and sends it and does
// nothing else.
func (s *Sender) Run(ctx context.Context) {
	s.tokens = newTokens(s.RealNow, runtime.GOMAXPROCS(0))
	r := &round{Sender: s, lanes: newLanes(), done: make(chan outcome, 2*overAll)}
	r.going, r.letGo = context.WithCancel(ctx)
	for ctx.Err() == nil {
		queued := s.Queued.Next() // before looking, so that nothing is slept through
		if wait := r.turn(ctx); wait > 0 {
			r.rest(ctx, queued, wait)
		}
	}
	r.letGo()
	r.finish(ctx)
}

// round is the state of one [Sender.Run], whose goroutine owns all of it except
// the channel.
type round struct {
	*Sender
	lanes    *lanes
	sends    sync.WaitGroup
	done     chan outcome // holds all that can be claimed, so that nobody waits to report
	finished []outcome    // not yet written down; nothing is claimed before they are
	wait     time.Duration

	history history
	going   context.Context // of what is claimed: when it ends, nothing more is begun
	letGo   context.CancelFunc
}

// history is where the database was at the last look. What was claimed in another
// one is not begun any more (D49).
type history struct {
	epoch  int
	goesOn bool
}

const (
	company   = 4 * time.Millisecond   // for more outcomes, and for more to send
	idleLook  = 250 * time.Millisecond // for what other processes have queued
	retryWait = time.Second            // after a look that failed
	lastTries = 5                      // to write down what is known, at the end
)

// turn writes down what has ended, claims for the slots that are free, and
// begins to send. It returns how long to wait for more; 0 if there may be more
// at once.
func (r *round) turn(ctx context.Context) time.Duration {
	r.collect()
	// After this, others take what was claimed for lost: nothing may be sent any
	// more, even if this process was stopped for a while in between.
	last := clock.Deadline(lookLimit + r.Timeout)
	found, err := r.look(ctx, true)
	if err == nil && len(found.send)+len(found.foreign) > 0 {
		err = r.send(ctx, last, found)
	}
	r.lanes.forget()
	r.Metrics.stand(r.lanes)
	switch {
	case err != nil:
		r.Log.WarnContext(ctx, "webhooks cannot be sent at present; retrying", slog.Any("error", err))
		return retryWait
	case len(found.ended) > 0 || len(found.send) > 0 && r.lanes.free() == 0:
		r.wait = 0 // slots were spent on what is not sent, or there were too few
	case len(found.send) > 0:
		r.wait = company // each lane has what it may have, until something ends
	default:
		r.wait = min(max(company, 2*r.wait), idleLook)
	}
	return r.wait
}

// collect notes everything that has ended so far.
func (r *round) collect() {
	for {
		select {
		case o := <-r.done:
			r.ended(o)
		default:
			return
		}
	}
}

// ended returns whether the lane has enough left to keep its slots busy.
func (r *round) ended(o outcome) (busy bool) {
	busy = r.lanes.give(o)
	r.finished = append(r.finished, o)
	r.Metrics.stand(r.lanes)
	return busy
}

// look is one round trip: outcomes and claim, together or not at all. It ignores
// the end of ctx, because a claim whose answer is not read would be lost. If it fails,
// or finds the database in another history, what waits is let go.
func (r *round) look(ctx context.Context, claim bool) (found claimed, err error) {
	batch := &pgx.Batch{}
	here, late := r.history, 0
	batch.Queue(readCommitted)
	batch.Queue(hereAndNow).QueryRow(func(row pgx.Row) error { return row.Scan(nil, nil, nil, nil, nil, &here.epoch, &here.goesOn) })
	prelude := batch.Len()
	writeInto(batch, r.finished, &late)
	if claim && r.lanes.free() > 0 {
		r.claimInto(batch, r.lanes, &found)
	}
	if batch.Len() == prelude {
		return claimed{}, nil // nothing to write down, and no slot is free
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	err = r.DB.SendBatch(limited, batch).Close()
	if err != nil || here != r.history {
		r.letGo()
		r.history = here
		r.going, r.letGo = context.WithCancel(ctx)
	}
	if err != nil {
		return claimed{}, err
	}
	r.written(ctx, late, found.ended)
	return found, nil
}

// written notes that nothing has to be written down any more.
func (r *round) written(ctx context.Context, late int, ended []ended) {
	r.finished = nil
	if late > 0 {
		r.Log.WarnContext(ctx, "deliveries have ended after they were given up as unknown", slog.Int("deliveries", late))
	}
	for _, e := range ended {
		r.Metrics.counted(e.kind, e.status, "")
	}
}

// rest waits until there may be something to do. A look costs the same for one
// delivery as for some, so it waits for company while no receiver does.
func (r *round) rest(ctx context.Context, queued <-chan struct{}, wait time.Duration) {
	for wake := time.After(wait); ; {
		select {
		case <-ctx.Done():
			return
		case <-queued:
			r.wait = 0
			return
		case o := <-r.done:
			if !r.ended(o) {
				return
			}
			if wait > company {
				wait, wake = company, time.After(company)
			}
		case <-wake:
			return
		}
	}
}

// finish waits for what is in flight and writes down how it ended. What cannot
// be written down becomes unknown after a while.
func (r *round) finish(ctx context.Context) {
	r.sends.Wait()
	for range lastTries {
		r.collect()
		_, err := r.look(ctx, false)
		if err == nil {
			return
		}
		r.Log.WarnContext(ctx, "outcomes of webhooks could not be written down", slog.Any("error", err))
		<-time.After(retryWait / lastTries)
	}
}
