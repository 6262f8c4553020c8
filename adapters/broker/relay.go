package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
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
	compared position     // the last event that was compared with the broker's
	previous previous     // the last event published, for each practice
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
		if lost, ok := errors.AsType[Lost](err); ok && r.certain(&doubt) {
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

// round goes through the epochs, and follows the current one for a while.
func (r *Relay) round(ctx context.Context) error {
	look, err := r.readState(ctx)
	if err != nil {
		return err
	}
	if err := r.checkBroker(); err != nil {
		return err
	}
	published, err := r.readPublished(ctx, look)
	if err != nil {
		return err
	}
	for _, e := range look.Epochs[:len(look.Epochs)-1] {
		end, _ := look.Epochs.End(e.Epoch)
		if err := r.fill(ctx, look, e, end); err != nil {
			return err
		}
	}
	stream, err := r.begin(ctx, look, published)
	if err != nil {
		return err
	}
	return r.follow(ctx, stream, look)
}

// begin opens the stream of the current epoch, creates its followers' consumers, and
// publishes the epoch. Until then they read the earlier epochs.
func (r *Relay) begin(ctx context.Context, look Look, published published) (jetstream.Stream, error) {
	stream, err := r.open(ctx, look.present())
	if err != nil {
		return nil, err
	}
	if slices.Equal(r.carried, look.Epochs) {
		return stream, published.publish(ctx, r.js, look.Epochs)
	}
	for n, e := range look.Epochs[1:] {
		if err := r.carry(ctx, look.Epochs[n], e); err != nil {
			return nil, err
		}
	}
	r.carried = look.Epochs
	return stream, published.publish(ctx, r.js, look.Epochs)
}

func (r *Relay) carry(ctx context.Context, from, to feed.Epoch) error {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	return Carry(ctx, r.js, from.Epoch, to.Epoch)
}

// readState reads the state of the log, and sets the lag.
func (r *Relay) readState(ctx context.Context) (Look, error) {
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

// checkBroker returns an error while the broker is unavailable, or its maximum payload is too
// small for an event.
func (r *Relay) checkBroker() error {
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
	if first := max(1, stream.CachedInfo().Config.FirstSeq); first != uint64(e.First) {
		return nil, lost("the broker's stream %s begins at idx %d and %s of the log at %d", feed.StreamName(e.Epoch), first, e, e.First)
	}
	return stream, nil
}

// fill completes the stream of a past epoch.
func (r *Relay) fill(ctx context.Context, look Look, e feed.Epoch, end int64) error {
	stream, err := r.open(ctx, e)
	if err != nil {
		return err
	}
	last, err := r.endOf(ctx, stream, look, e, end)
	if err != nil || last >= end {
		return err
	}
	return r.pump(ctx, stretch{look: look, epoch: e, stream: stream, after: last, end: end})
}

// follow publishes new events of the current epoch.
func (r *Relay) follow(ctx context.Context, stream jetstream.Stream, look Look) error {
	last, err := r.endOf(ctx, stream, look, look.present(), 0)
	if err != nil {
		return err
	}
	r.reached(ctx, last)
	return r.pump(ctx, stretch{look: look, epoch: look.present(), stream: stream, after: last})
}

// reached records that the broker has all events of the current epoch up to an idx,
// from whichever relay.
func (r *Relay) reached(ctx context.Context, idx int64) {
	if r.last.Swap(idx) < idx {
		r.trouble.passed(ctx)
	}
	r.Metrics.reach(idx)
}

// Lost is the error that the broker holds a history other than the log's.
type Lost string

// Error describes the difference, and the remedy.
func (l Lost) Error() string { return string(l) }

// endOf returns the last idx in a stream, after comparing its event with the log's. In
// a past epoch, events after its end were lost, and are ignored.
func (r *Relay) endOf(ctx context.Context, stream jetstream.Stream, look Look, e feed.Epoch, end int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	info, err := stream.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask the broker for the end of %s: %w", feed.StreamName(e.Epoch), err)
	}
	last := int64(info.State.LastSeq)
	if end > 0 {
		last = min(last, end)
	} else if err := r.checkEnd(ctx, look, last); err != nil {
		return 0, err
	}
	if last < int64(info.State.FirstSeq) {
		return last, nil // nothing to compare
	}
	return last, r.compare(ctx, stream, e, last, end)
}

// checkEnd returns an error if a stream's last idx is beyond the log's. The log was read
// before, and another relay may have continued since, so it is read again.
func (r *Relay) checkEnd(ctx context.Context, look Look, last int64) error {
	if last <= look.Head {
		return nil
	}
	now, err := r.readState(ctx)
	if err != nil {
		return err
	}
	if now.present() != look.present() {
		return errMoved
	}
	if last > now.Head {
		return lost("the broker's stream %s has come to idx %d and the log to %d", feed.StreamName(look.present().Epoch), last, now.Head)
	}
	return nil
}

// compare returns an error if a stream's event at an idx differs from the log's.
func (r *Relay) compare(ctx context.Context, stream jetstream.Stream, e feed.Epoch, idx, end int64) error {
	msg, err := stream.GetMsg(ctx, uint64(idx))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil // it expired in between
	}
	if err != nil {
		return fmt.Errorf("ask the broker for idx %d: %w", idx, err)
	}
	page, err := r.readPage(ctx, idx-1, 1)
	if err != nil {
		return err
	}
	if len(page.Events) == 0 {
		return errMoved
	}
	r.compared = position{idx, page.Events[0].ID}
	got, want := msg.Header.Get(nats.MsgIdHdr), page.Events[0].ID.String()
	if got == want {
		return nil
	}
	differs := lost
	if end > 0 {
		differs = lostBefore
	}
	return differs("the broker's stream %s has the event %q at idx %d and the log has %s", feed.StreamName(e.Epoch), got, idx, want)
}

// position is an event with its position in the log.
type position struct {
	idx int64
	id  uuid.UUID
}

// leads returns an error if a page does not continue after an event. Otherwise, if a
// backup is restored while the log is read, its events would be taken for the next page
// once it is long enough.
func (s position) leads(after int64, to Page) error {
	if s.idx != after || len(to.Events) == 0 || to.Before == s.id {
		return nil
	}
	return fmt.Errorf("the log has another event at idx %d than before", after)
}

// errMoved: the log changed while it was read.
var errMoved = errors.New("the log has begun another epoch while it was read")

func lost(format string, args ...any) Lost {
	return Lost(fmt.Sprintf(format, args...) + ": the log has lost these events of the broker. If the database was restored, run frontdesk audit begin-epoch")
}

// lostBefore is the error for a past epoch. Between a restore and its epoch, a serving
// process gives idx of the older epoch to other events, and these are the valid ones.
func lostBefore(format string, args ...any) Lost {
	return Lost(fmt.Sprintf(format, args...) + ": a process has served after a restore, before an epoch was begun. " +
		"Have the broker's administrator remove that stream: the relay fills it again, and its followers have to start again")
}
