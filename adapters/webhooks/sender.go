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

// Sender sends queued deliveries: at most once (D29), in order for each subject, and
// without one receiver delaying another. Any number of processes may run one. All
// fields except Metrics and Traces are needed.
type Sender struct {
	DB    *pgxpool.Pool
	Codec *event.Codec
	Opens interface {
		// OpenEach returns events with their personal values, and an error for each
		// that could not be opened.
		OpenEach(ctx context.Context, stored []event.Stored) (opened []event.Recorded, failed []error, err error)
	}
	Signer interface {
		// With returns a function that signs a payload as a JWT with the key of this
		// kid.
		With(ctx context.Context, kid signingkey.KID) (sign func(payload []byte) (jwt string, err error), err error)
	}
	Client   *http.Client              // from [NewClient]
	CheckURL func(rawURL string) error // refuses addresses that must no longer be called
	Queued   interface {
		Next() <-chan struct{} // closed when this process has queued a delivery
	}
	Now     func() time.Time // the practice's clock, which ages deliveries
	RealNow func() time.Time // the receivers' clock, for iat and exp; also measures durations
	Sending context.Context  // when it ends, calls in flight are cancelled; nil: never
	Timeout time.Duration    // for one delivery, from dialling to the end of the answer
	Log     *slog.Logger
	Metrics *Metrics
	Traces  *tracing.Tracer

	tokens *tokens
}

// Run sends until ctx ends. Then it waits for calls in flight and stores their
// outcomes. It leaves the backlog, and claimed deliveries that were not begun, to other
// processes or the next start.
//
// Its goroutine owns the lanes and the database connection. Each claimed delivery has a
// goroutine that only signs and sends it.
func (s *Sender) Run(ctx context.Context) {
	s.tokens = newTokens(s.RealNow, runtime.GOMAXPROCS(0))
	r := &round{Sender: s, lanes: newLanes(), done: make(chan outcome, 2*overAll)}
	r.claimCtx, r.cancelClaims = context.WithCancel(ctx)
	for ctx.Err() == nil {
		queued := s.Queued.Next() // before looking, so that no wake-up is missed
		if wait := r.turn(ctx); wait > 0 {
			r.waitForWork(ctx, queued, wait)
		}
	}
	r.cancelClaims()
	r.finish(ctx)
}

// round is the state of one [Sender.Run], whose goroutine owns all of it except the
// channel.
type round struct {
	*Sender
	lanes    *lanes
	sends    sync.WaitGroup
	done     chan outcome // has room for all claims, so that a send never blocks
	finished []outcome    // not yet stored; nothing is claimed before they are
	wait     time.Duration

	history      history
	claimCtx     context.Context // of claimed deliveries: after it ends, none is begun
	cancelClaims context.CancelFunc
}

// history is the database's history at the last look. Deliveries claimed in another
// history are not begun (D49).
type history struct {
	epoch  int
	goesOn bool
}

const (
	company   = 4 * time.Millisecond   // wait for more outcomes, and more deliveries
	idleLook  = 250 * time.Millisecond // for deliveries that other processes have queued
	retryWait = time.Second            // after a look that failed
	lastTries = 5                      // to store the last outcomes
)

// turn stores outcomes, claims deliveries for the free slots and starts to send them.
// It returns how long to wait; 0 if there may be more at once.
func (r *round) turn(ctx context.Context) time.Duration {
	r.collect()
	// After this, other processes count the claimed deliveries as lost: nothing may be
	// sent, even if this process was suspended in between.
	last := clock.Deadline(lookLimit + r.Timeout)
	found, err := r.roundTrip(ctx, true)
	if err == nil && len(found.send)+len(found.foreign) > 0 {
		err = r.send(ctx, last, found)
	}
	r.lanes.forget()
	r.Metrics.setLanes(r.lanes)
	switch {
	case err != nil:
		r.Log.WarnContext(ctx, "cannot send webhooks; retrying", slog.Any("error", err))
		return retryWait
	case len(found.ended) > 0 || len(found.send) > 0 && r.lanes.free() == 0:
		r.wait = 0 // slots were used up by deliveries that are not sent, or there were too few
	case len(found.send) > 0:
		r.wait = company // each lane is at its limit until a delivery ends
	default:
		r.wait = min(max(company, 2*r.wait), idleLook)
	}
	return r.wait
}

// collect takes all outcomes so far.
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

// ended returns whether the lane has enough claims left to keep its slots busy.
func (r *round) ended(o outcome) (busy bool) {
	busy = r.lanes.give(o)
	r.finished = append(r.finished, o)
	r.Metrics.setLanes(r.lanes)
	return busy
}

// roundTrip is one round trip: outcomes and claim, in one transaction. It ignores the end of
// ctx, because a claim whose answer is not read would be lost. If it fails, or finds
// another history, claimed deliveries that have not begun are released.
func (r *round) roundTrip(ctx context.Context, claim bool) (found claimed, err error) {
	batch := &pgx.Batch{}
	here, late := r.history, 0
	batch.Queue(readCommitted)
	batch.Queue(claimPrelude).QueryRow(func(row pgx.Row) error { return row.Scan(nil, nil, nil, nil, nil, &here.epoch, &here.goesOn) })
	prelude := batch.Len()
	writeInto(batch, r.finished, &late)
	if claim && r.lanes.free() > 0 {
		r.claimInto(batch, r.lanes, &found)
	}
	if batch.Len() == prelude {
		return claimed{}, nil // nothing to store, and no free slot
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	err = r.DB.SendBatch(limited, batch).Close()
	if err != nil || here != r.history {
		r.cancelClaims()
		r.history = here
		r.claimCtx, r.cancelClaims = context.WithCancel(ctx)
	}
	if err != nil {
		return claimed{}, err
	}
	r.written(ctx, late, found.ended)
	return found, nil
}

// written drops the outcomes that are stored.
func (r *round) written(ctx context.Context, late int, ended []ended) {
	r.finished = nil
	if late > 0 {
		r.Log.WarnContext(ctx, "outcomes arrived after their deliveries became unknown", slog.Int("deliveries", late))
	}
	for _, e := range ended {
		r.Metrics.counted(e.kind, e.status, "")
	}
}

// waitForWork waits until there may be something to do. One round trip costs the same for one
// delivery as for several, so it waits for more while no receiver is idle.
func (r *round) waitForWork(ctx context.Context, queued <-chan struct{}, wait time.Duration) {
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

// finish waits for calls in flight and stores their outcomes. A delivery whose outcome
// cannot be stored becomes unknown later.
func (r *round) finish(ctx context.Context) {
	r.sends.Wait()
	for range lastTries {
		r.collect()
		_, err := r.roundTrip(ctx, false)
		if err == nil {
			return
		}
		r.Log.WarnContext(ctx, "cannot store outcomes of webhooks", slog.Any("error", err))
		<-time.After(retryWait / lastTries)
	}
}
