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

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/feed"
)

// Relay publishes the log. Each value serves one Run.
type Relay struct {
	Server  Server
	Streams Streams
	Source  Source
	Metrics *Metrics
	Log     *slog.Logger
	Sure    time.Duration // how long a lost history is checked again before it counts; 0 means the default

	conn     *nats.Conn
	js       jetstream.JetStream
	room     *semaphore.Weighted // bytes in flight
	trouble  trouble
	carried  feed.Epochs  // epochs whose followers have their consumers
	compared spot         // the last event that was compared with the broker's
	before   before       // the last event published, for each practice
	last     atomic.Int64 // idx of the last event known to be on the broker
}

const (
	askLimit  = 5 * time.Second // for one request to the broker, or an acknowledgement
	lookLimit = 10 * time.Second
	firstWait = 20 * time.Millisecond // between two failed rounds; doubles each time
	longest   = time.Second

	// sure is longer than a primary that was cut off still serves: its log looks like a
	// lost history, until connections reach the next primary.
	sure = 45 * time.Second
)

// Run relays until ctx ends. It returns a [Lost] if the broker holds a history that the
// log has lost, otherwise nil.
func (r *Relay) Run(ctx context.Context) error {
	r.trouble.log, r.room = r.Log, semaphore.NewWeighted(bytesInFlight)
	conn, err := r.Server.Connect(ctx, "frontdesk relay", func(_ *nats.Conn, _ *nats.Subscription, err error) { r.trouble.record(err) })
	if err != nil {
		return err
	}
	defer conn.Close()
	r.conn = conn
	r.js, err = jetstream.New(conn, jetstream.WithPublishAsyncTimeout(askLimit), jetstream.WithDefaultTimeout(askLimit),
		jetstream.WithPublishAsyncMaxPending(2*inFlight)) // the relay's own limit is lower
	if err != nil {
		return fmt.Errorf("speak with JetStream: %w", err)
	}
	return r.rounds(ctx)
}

func (r *Relay) rounds(ctx context.Context) error {
	var doubt clock.Stopwatch // since a history looked lost
	wait := firstWait
	for ctx.Err() == nil {
		before := r.last.Load()
		err := r.round(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // ctx has ended it
		}
		if err == nil || r.last.Load() > before {
			wait, doubt = firstWait, clock.Stopwatch{}
		}
		if err == nil {
			continue
		}
		if lost, is := errors.AsType[Lost](err); is && r.certain(&doubt) {
			r.Metrics.stop()
			return lost
		}
		r.carried = nil // the broker may have lost data
		r.trouble.report(ctx, err)
		background.Sleep(ctx, wait)
		wait = min(2*wait, longest)
	}
	return nil
}

// certain reports whether a history has looked lost for long enough.
func (r *Relay) certain(doubt *clock.Stopwatch) bool {
	if !doubt.Started() {
		*doubt = clock.Start()
	}
	return doubt.Elapsed() >= cmp.Or(r.Sure, sure)
}
