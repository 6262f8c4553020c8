package broker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/feed"
)

// round goes through the epochs, and follows the current one for a while.
func (r *Relay) round(ctx context.Context) error {
	look, err := r.look(ctx)
	if err != nil {
		return err
	}
	if err := r.checkBroker(); err != nil {
		return err
	}
	published, err := r.published(ctx, look)
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

// look reads the state of the log, and sets the lag.
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
	last, err := r.place(ctx, stream, look, e, end)
	if err != nil || last >= end {
		return err
	}
	return r.pump(ctx, stretch{look: look, epoch: e, stream: stream, after: last, end: end})
}

// follow publishes new events of the current epoch.
func (r *Relay) follow(ctx context.Context, stream jetstream.Stream, look Look) error {
	last, err := r.place(ctx, stream, look, look.present(), 0)
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
