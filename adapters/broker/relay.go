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

// Relay publishes the log. A value serves one Run.
type Relay struct {
	Server  Server
	Streams Streams
	Source  Source
	Metrics *Metrics
	Log     *slog.Logger
	Sure    time.Duration // for how long a history that was lost is looked at again; 0 is the usual

	conn     *nats.Conn
	js       jetstream.JetStream
	room     *semaphore.Weighted // bytes in flight
	trouble  trouble
	carried  feed.Epochs  // whose followers have a consumer in each of them
	compared spot         // with what the broker has there, last
	before   before       // what was published last, of each practice
	last     atomic.Int64 // idx of the last event that is known to be on the broker
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
	var doubt clock.Stopwatch // since a history looks lost
	wait := firstWait
	for ctx.Err() == nil {
		before := r.last.Load()
		err := r.round(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // whatever it was: it was told to stop
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
		r.carried = nil // the broker may have lost something
		r.trouble.say(ctx, err)
		background.Sleep(ctx, wait)
		wait = min(2*wait, longest)
	}
	return nil
}

// certain reports whether a history has looked lost for so long that it is.
func (r *Relay) certain(doubt *clock.Stopwatch) bool {
	if !doubt.Started() {
		*doubt = clock.Start()
	}
	return doubt.Elapsed() >= cmp.Or(r.Sure, sure)
}
