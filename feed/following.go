package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"

	"frontdesk/domain/event"
)

const (
	firstWait = 20 * time.Millisecond // before a retry, and twice as long each time
	longest   = time.Second
)

// following reads the log through its epochs.
type following struct {
	Config
	broker
	codec *event.Codec
	out   chan<- *message.Message

	at, reported Place // of the last event that was processed; and of the last that the follower knows of
	known        bool  // at is the follower's place
	gaps         int   // found since an event was handled
	warned       string
}

// run follows until ctx ends, or something stops it for good.
func (f *following) run(ctx context.Context) error {
	wait := firstWait
	for ctx.Err() == nil {
		before := f.at
		err := f.followEpoch(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // ctx has ended it
		}
		if f.at != before {
			wait = firstWait
		}
		if errors.Is(err, errRestart) {
			continue
		}
		if _, passes := errors.AsType[passing](err); !passes {
			return err
		}
		f.warn(ctx, err)
		pause(ctx, wait)
		wait = min(2*wait, longest)
	}
	return nil
}

// followEpoch reads the rest of an epoch. It never returns nil.
func (f *following) followEpoch(ctx context.Context) error {
	if !f.known {
		if err := f.readPlace(ctx); err != nil {
			return err
		}
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

// readPlace asks the follower for its place.
func (f *following) readPlace(ctx context.Context) error {
	at, err := f.After(ctx)
	if err != nil {
		return passing{fmt.Errorf("read the follower's place: %w", err)}
	}
	f.at, f.reported, f.known = at, at, true
	return nil
}

// begin finds the next event of the follower, and resets the consumer to it.
func (f *following) begin(ctx context.Context, epochs Epochs) (*epochReader, error) {
	present := epochs[len(epochs)-1]
	if from, lost := epochs.Lost(f.at); lost {
		return nil, &LostError{f.at, from, epochs.Holding(from)}
	}
	if f.at.Epoch > present.Epoch {
		return nil, passing{fmt.Errorf("the follower is at %s, and the broker knows of nothing after %s", f.at, present)}
	}
	next := f.at.Idx + 1
	s := &epochReader{following: f, chain: epochs, epoch: epochs.Holding(next).Epoch}
	s.end, s.over = epochs.End(s.epoch)
	granted, err := f.granted(ctx, f.Name, s.epoch)
	if err != nil {
		return nil, err
	}
	if s.dense = granted == Subjects(s.epoch); !s.dense && granted != Subject(s.epoch, f.Practice, ">") {
		return nil, fmt.Errorf("the follower %s was granted the events published at %s: follow those, or have frontdesk feed grant give it another part of the log", f.Name, granted)
	}
	_, err = f.send(ctx, f.Name, s.epoch, next)
	return s, err
}

// hand gives an event to the follower until it is handled.
func (f *following) hand(ctx context.Context, sent *nats.Msg, at Place) error {
	for wait := firstWait; ; wait = min(2*wait, longest) {
		handled, err := f.handOnce(ctx, watermillMessage(sent))
		if err != nil {
			return err
		}
		if handled {
			f.at, f.reported, f.gaps, f.warned = at, at, 0, ""
			return nil
		}
		f.warn(ctx, fmt.Errorf("the event at %s was not handled", at))
		before := f.at
		if err := f.readPlace(ctx); err != nil || f.at != before {
			f.known = false
			return errors.Join(err, errRestart)
		}
		pause(ctx, wait)
	}
}

func (f *following) handOnce(ctx context.Context, msg *message.Message) (handled bool, err error) {
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	msg.SetContext(own)
	select {
	case f.out <- msg:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	select {
	case <-msg.Acked():
		return true, nil
	case <-msg.Nacked():
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// pass reports to the follower that there was nothing to handle up to its place.
func (f *following) pass(ctx context.Context) error {
	if f.Passed == nil || f.at == f.reported {
		return nil
	}
	if err := f.Passed(ctx, f.at); err != nil {
		return passing{fmt.Errorf("report to the follower that it is at %s: %w", f.at, err)}
	}
	f.reported = f.at
	return nil
}

// warn logs an error, once as long as it stays the same.
func (f *following) warn(ctx context.Context, err error) {
	if text := err.Error(); text != f.warned {
		f.warned = text
		f.Log.WarnContext(ctx, "cannot follow the log; retrying", slog.String("error", text), slog.Any("at", f.at))
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
