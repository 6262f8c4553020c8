package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/domain/event"
)

const (
	firstWait = 20 * time.Millisecond // before something is tried again, and twice as long each time
	longest   = time.Second
)

// following is a walk along the log, through its epochs.
type following struct {
	Config
	broker
	codec *event.Codec
	out   chan<- *message.Message
	news  chan struct{} // holds something if the epochs may have changed

	at, told Place // of the last event that was dealt with; and what the follower knows of that
	known    bool  // at is where the follower is
	waitsFor string
}

// run follows until ctx ends, or something stops it for good.
func (f *following) run(ctx context.Context) error {
	heard, err := f.Conn.Subscribe(EpochsSubject, func(*nats.Msg) { f.lookAnew() })
	if err != nil {
		return fmt.Errorf("listen for epochs: %w", err)
	}
	defer func() { _ = heard.Unsubscribe() }() // it has ended if that fails
	wait := firstWait
	for ctx.Err() == nil {
		before := f.at
		err := f.goOn(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if f.at != before {
			wait = firstWait
		}
		if errors.Is(err, errAnew) {
			continue
		}
		if _, passes := errors.AsType[passing](err); !passes {
			return err
		}
		f.say(ctx, err)
		pause(ctx, wait)
		wait = min(2*wait, longest)
	}
	return nil
}

func (f *following) lookAnew() {
	select {
	case f.news <- struct{}{}:
	default:
	}
}

// goOn reads the rest of an epoch. It never returns nil.
func (f *following) goOn(ctx context.Context) error {
	if !f.known {
		at, err := f.After(ctx)
		if err != nil {
			return passing{fmt.Errorf("ask the follower where it is: %w", err)}
		}
		f.at, f.told, f.known = at, at, true
	}
	epochs, err := f.epochs(ctx)
	if err != nil {
		return err
	}
	s, err := f.begin(ctx, epochs)
	if err != nil {
		return err
	}
	return s.read(ctx)
}

// begin finds out where to go on.
func (f *following) begin(ctx context.Context, epochs Epochs) (*stretch, error) {
	present := epochs[len(epochs)-1]
	if from, lost := epochs.Lost(f.at); lost {
		return nil, &LostError{f.at, from, epochs.Holding(from)}
	}
	if f.at.Epoch > present.Epoch {
		return nil, passing{fmt.Errorf("the follower is at %s, and the broker knows of nothing after %s", f.at, present)}
	}
	next := f.at.Idx + 1
	s := &stretch{following: f, epochs: epochs, epoch: epochs.Holding(next).Epoch}
	s.end, s.over = epochs.End(s.epoch)
	var err error
	s.consumer, err = f.consumer(ctx, f.Name, f.Practice, s.epoch, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: uint64(next), //nolint:gosec // an idx is positive
	})
	if err != nil {
		return nil, err
	}
	if first := int64(s.consumer.CachedInfo().Delivered.Stream) + 1; first > next { //nolint:gosec // an idx
		return nil, &GoneError{Place{s.epoch, next}, first}
	}
	return s, nil
}

// hand gives an event to the follower, and waits until it is handled.
func (f *following) hand(ctx context.Context, msg *message.Message, at Place) error {
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	msg.SetContext(own)
	select {
	case f.out <- msg:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-msg.Acked():
		f.at, f.told, f.waitsFor = at, at, ""
		return nil
	case <-msg.Nacked():
		f.known = false
		return passing{fmt.Errorf("the follower has not handled the event at %s", at)}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pass says that there was nothing to handle up to where the follower is.
func (f *following) pass(ctx context.Context) error {
	if f.Passed == nil || f.at == f.told {
		return nil
	}
	if err := f.Passed(ctx, f.at); err != nil {
		return passing{fmt.Errorf("tell the follower that it is at %s: %w", f.at, err)}
	}
	f.told = f.at
	return nil
}

// say says once what is waited for.
func (f *following) say(ctx context.Context, err error) {
	if text := err.Error(); text != f.waitsFor {
		f.waitsFor = text
		f.Log.WarnContext(ctx, "following the log waits, and tries again", slog.String("error", text), slog.Any("at", f.at))
	}
}

func pause(ctx context.Context, atMost time.Duration) {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
