package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/semaphore"

	"frontdesk/feed"
)

// Relay publishes the log. A value serves one Run.
type Relay struct {
	Server  Server
	Streams Streams
	Source  Source
	Metrics *Metrics
	Log     *slog.Logger
	Sure    time.Duration // for how long a history that was lost is looked at again; 0 is the usual

	conn    *nats.Conn
	js      jetstream.JetStream
	room    *semaphore.Weighted // bytes in flight
	trouble trouble
	last    atomic.Int64 // idx of the last event that is known to be on the broker
}

const (
	askLimit  = 5 * time.Second // for one question to the broker, or an acknowledgement
	lookLimit = 10 * time.Second
	firstWait = 20 * time.Millisecond // between two rounds that fail, and twice as long each time
	longest   = time.Second

	// sure is longer than a primary that was cut off believes in itself: what it shows
	// looks like a history that was lost, until its connections lead to the next one.
	sure = 45 * time.Second
)

// Run relays until ctx ends. It returns a [Lost] if the broker holds a history that the log
// has lost, and nil otherwise.
func (r *Relay) Run(ctx context.Context) error {
	r.trouble.log, r.room = r.Log, semaphore.NewWeighted(bytesInFlight)
	conn, err := r.Server.Connect(ctx, "frontdesk relay", func(_ *nats.Conn, _ *nats.Subscription, err error) { r.trouble.hear(err) })
	if err != nil {
		return err
	}
	defer conn.Close()
	r.conn = conn
	r.js, err = jetstream.New(conn, jetstream.WithPublishAsyncTimeout(askLimit), jetstream.WithDefaultTimeout(askLimit),
		jetstream.WithPublishAsyncMaxPending(2*inFlight)) // the relay's own bound is reached first
	if err != nil {
		return fmt.Errorf("speak with JetStream: %w", err)
	}
	return r.rounds(ctx)
}

func (r *Relay) rounds(ctx context.Context) error {
	var doubt time.Time // since when a history looks lost
	wait := firstWait
	for ctx.Err() == nil {
		before := r.last.Load()
		err := r.round(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil || r.last.Load() > before {
			wait, doubt = firstWait, time.Time{}
		}
		if err == nil {
			continue
		}
		if lost, is := errors.AsType[Lost](err); is {
			if doubt.IsZero() {
				doubt = time.Now()
			}
			if time.Since(doubt) >= cmp.Or(r.Sure, sure) {
				r.Metrics.stop()
				return lost
			}
		}
		r.trouble.say(ctx, err)
		pause(ctx, wait)
		wait = min(2*wait, longest)
	}
	return nil
}

// round goes through the epochs, and follows the present one for a while.
func (r *Relay) round(ctx context.Context) error {
	look, err := r.look(ctx)
	if err != nil {
		return err
	}
	if err := r.there(); err != nil {
		return err
	}
	said, err := r.said(ctx, look)
	if err != nil {
		return err
	}
	for _, e := range look.Epochs[:len(look.Epochs)-1] {
		end, _ := look.Epochs.End(e.Epoch)
		if err := r.fill(ctx, look, e, end); err != nil {
			return err
		}
	}
	stream, err := r.open(ctx, look.present())
	if err != nil {
		return err
	}
	if err := said.say(ctx, r.js, look.Epochs); err != nil {
		return err
	}
	return r.follow(ctx, stream, look)
}

// look asks the log, and notes how far behind the relay is.
func (r *Relay) look(ctx context.Context) (Look, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	look, err := r.Source.Look(ctx)
	if err != nil {
		return Look{}, fmt.Errorf("look at the log: %w", err)
	}
	if look.Wait != "" {
		return Look{}, errors.New(look.Wait)
	}
	r.Metrics.head(look.Head)
	return look, nil
}

// there is an error while the broker is away, or takes less than an event may need.
func (r *Relay) there() error {
	if !r.conn.IsConnected() {
		if err := r.conn.LastError(); err != nil {
			return fmt.Errorf("the broker is away: %w", err)
		}
		return errors.New("the broker is away")
	}
	if takes := r.conn.MaxPayload(); takes < MaxPayload {
		return fmt.Errorf("the broker takes messages of %d bytes, and an event may have %d: set max_payload: 8MB in its configuration", takes, MaxPayload)
	}
	return nil
}

func (r *Relay) open(ctx context.Context, e feed.Epoch) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	stream, err := open(ctx, r.js, r.Streams.ofEpoch(e))
	if err != nil {
		return nil, err
	}
	if first := max(1, stream.CachedInfo().Config.FirstSeq); first != uint64(e.First) { //nolint:gosec // an idx is positive
		return nil, lost("the broker's stream %s begins at idx %d and %s of the log at %d", feed.StreamName(e.Epoch), first, e, e.First)
	}
	return stream, nil
}

// fill completes the stream of an epoch that is over.
func (r *Relay) fill(ctx context.Context, look Look, e feed.Epoch, end int64) error {
	stream, err := r.open(ctx, e)
	if err != nil {
		return err
	}
	last, err := r.place(ctx, stream, look, e, end)
	if err != nil || last >= end {
		return err
	}
	return r.pump(ctx, stretch{look: look, epoch: e, stream: stream, after: last, end: end})
}

// follow publishes what comes in the present epoch.
func (r *Relay) follow(ctx context.Context, stream jetstream.Stream, look Look) error {
	last, err := r.place(ctx, stream, look, look.present(), 0)
	if err != nil {
		return err
	}
	r.reached(ctx, last)
	return r.pump(ctx, stretch{look: look, epoch: look.present(), stream: stream, after: last})
}

// reached notes that the broker holds everything of the present epoch up to an idx.
func (r *Relay) reached(ctx context.Context, idx int64) {
	r.last.Store(idx)
	r.Metrics.reach(idx)
	r.trouble.over(ctx)
}

func pause(ctx context.Context, atMost time.Duration) {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
