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
	firstWait = 20 * time.Millisecond // before something is tried again, and twice as long each time
	longest   = time.Second
)

// following is a walk along the log, through its epochs.
type following struct {
	Config
	broker
	codec *event.Codec
	out   chan<- *message.Message

	at, told Place // of the last event that was dealt with; and what the follower knows of that
	known    bool  // at is where the follower is
	gaps     int   // that were found since an event was handled
	waitsFor string
}

// run follows until ctx ends, or something stops it for good.
func (f *following) run(ctx context.Context) error {
	wait := firstWait
	for ctx.Err() == nil {
		before := f.at
		err := f.goOn(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it was told to end
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

// goOn reads the rest of an epoch. It never returns nil.
func (f *following) goOn(ctx context.Context) error {
	if !f.known {
		if err := f.ask(ctx); err != nil {
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

// ask asks the follower where it is.
func (f *following) ask(ctx context.Context) error {
	at, err := f.After(ctx)
	if err != nil {
		return passing{fmt.Errorf("ask the follower where it is: %w", err)}
	}
	f.at, f.told, f.known = at, at, true
	return nil
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
	s := &stretch{following: f, chain: epochs, epoch: epochs.Holding(next).Epoch}
	s.end, s.over = epochs.End(s.epoch)
	granted, err := f.granted(ctx, f.Name, s.epoch)
	if err != nil {
		return nil, err
	}
	if s.dense = granted == Subjects(s.epoch); !s.dense && granted != Subject(s.epoch, f.Practice, ">") {
		return nil, fmt.Errorf("the follower %s was granted what is published at %s: follow that, or have frontdesk feed grant give it another part of the log", f.Name, granted)
	}
	_, err = f.send(ctx, f.Name, s.epoch, next)
	return s, err
}

// hand gives an event to the follower until it is handled.
func (f *following) hand(ctx context.Context, sent *nats.Msg, at Place) error {
	for wait := firstWait; ; wait = min(2*wait, longest) {
		handled, err := f.handOnce(ctx, watermilled(sent))
		if err != nil {
			return err
		}
		if handled {
			f.at, f.told, f.gaps, f.waitsFor = at, at, 0, ""
			return nil
		}
		f.say(ctx, fmt.Errorf("the event at %s was not handled", at))
		before := f.at
		if err := f.ask(ctx); err != nil || f.at != before {
			f.known = false
			return errors.Join(err, errAnew)
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
