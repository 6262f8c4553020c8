package feed

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/domain/event"
)

const (
	batch     = 1000            // messages that are asked for at once
	heartbeat = 2 * time.Second // of the broker while it has none

	lookPace = 2 * time.Second       // from one look at the broker to the next while nothing comes
	overPace = 50 * time.Millisecond // and in an epoch that is over
)

// stretch is what one consumer reads: the rest of an epoch, as far as nothing goes wrong.
// A message may be lost on its way, because nothing is acknowledged. The broker numbers what
// it sends, so that is seen, and another consumer reads it again.
type stretch struct {
	*following
	epochs   Epochs // as they were when it began
	epoch    int
	end      int64 // idx of the epoch's last event, if it is over
	over     bool
	consumer jetstream.Consumer

	seen    uint64 // messages that have come
	looked  uint64 // and how many it were at the last look
	reached int64  // what the broker had come to then
}

func (s *stretch) read(ctx context.Context) error {
	for {
		if err := s.fetch(ctx); err != nil {
			return err
		}
	}
}

// fetch asks for messages once, and deals with them.
func (s *stretch) fetch(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	atMost := max(s.InFlight, int(s.Conn.MaxPayload())+1<<16) // a message that is larger would never come
	messages, err := s.consumer.Fetch(batch, jetstream.FetchMaxBytes(atMost), jetstream.FetchContext(ctx), jetstream.FetchHeartbeat(heartbeat))
	if err != nil {
		return s.ended(err)
	}
	defer func() {
		cancel()
		for range messages.Messages() { //nolint:revive // until the library has ended
		}
	}()
	return s.take(ctx, messages)
}

// take deals with messages until there are no more, something goes wrong, or there is news.
func (s *stretch) take(ctx context.Context, messages jetstream.MessageBatch) error {
	look := time.NewTicker(s.pace())
	defer look.Stop()
	for {
		var err error
		select {
		case msg, open := <-messages.Messages():
			if !open {
				return s.ended(messages.Error())
			}
			err = s.deal(ctx, msg)
		case <-s.news:
			err = errAnew
		case <-look.C:
			if len(messages.Messages()) == 0 {
				err = s.look(ctx)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

func (s *stretch) pace() time.Duration {
	if s.over {
		return overPace
	}
	return lookPace
}

// ended is an error unless the broker has sent as much as it was asked for.
func (s *stretch) ended(err error) error {
	if err == nil {
		return nil
	}
	return s.failed("$JS.API.CONSUMER.MSG.NEXT."+StreamName(s.epoch)+"."+s.Name, fmt.Errorf("read the events of epoch %d: %w", s.epoch, err))
}

// deal checks that a message is the next one, and has it handled.
func (s *stretch) deal(ctx context.Context, msg jetstream.Msg) error {
	numbers, err := msg.Metadata()
	if err != nil {
		return fmt.Errorf("read what the broker says of a message: %w", err)
	}
	if numbers.Sequence.Consumer != s.seen+1 {
		return errMissed
	}
	s.seen++
	idx := int64(numbers.Sequence.Stream) //nolint:gosec // an idx
	if idx <= s.at.Idx {
		return nil // the broker is behind the follower, as one that is being filled again
	}
	if s.over && idx > s.end {
		s.at = Place{s.epoch, s.end}
		return errAnew
	}
	if s.Practice == "" && idx != s.at.Idx+1 {
		return errHole(Place{s.epoch, s.at.Idx + 1})
	}
	sent := &nats.Msg{Subject: msg.Subject(), Header: msg.Headers(), Data: msg.Data()}
	m, err := s.check(sent, Place{s.epoch, idx})
	if err != nil {
		return err
	}
	if len(s.Events) > 0 && !slices.Contains(s.Events, m.Name) {
		s.at = m.Place()
		return nil
	}
	return s.hand(ctx, watermilled(sent), m.Place())
}

// check is an error if the event can be handled by nobody.
func (s *stretch) check(sent *nats.Msg, at Place) (Message, error) {
	m, err := Decode(sent.Subject, sent.Header, sent.Data)
	if err != nil {
		return Message{}, fmt.Errorf("at %s of the broker: %w", at, err)
	}
	if m.Place() != at {
		return Message{}, fmt.Errorf("at %s of the broker is an event that says it is at %s", at, m.Place())
	}
	if !s.codec.Knows(m.Name) {
		return Message{}, fmt.Errorf("the event at %s is of a newer program: %w %q", at, event.ErrUnknownName, m.Name)
	}
	_, err = m.Recorded()
	return m, err
}

// look finds out, while nothing comes, whether a message was lost on its way, whether there
// is nothing more for this follower up to some place, and whether another epoch has begun.
// What the broker says counts when it says it twice: it moves on before it sends.
func (s *stretch) look(ctx context.Context) error {
	idle := s.looked == s.seen
	s.looked = s.seen
	if !idle {
		return nil
	}
	if err := s.progress(ctx); err != nil {
		return err
	}
	if err := s.pass(ctx); err != nil {
		return err
	}
	if s.over && s.at.Idx >= s.end {
		return errAnew
	}
	epochs, err := s.broker.epochs(ctx)
	if err == nil && !slices.Equal(epochs, s.epochs) {
		return errAnew
	}
	return err
}

func (s *stretch) progress(ctx context.Context) error {
	asked, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	info, err := s.consumer.Info(asked)
	if err != nil {
		return s.failed("$JS.API.CONSUMER.INFO."+StreamName(s.epoch)+"."+s.Name, fmt.Errorf("ask for the consumer %s: %w", s.Name, err))
	}
	if info.Delivered.Consumer > s.seen {
		return errMissed
	}
	passed := s.reached
	if s.reached = int64(info.Delivered.Stream); s.over { //nolint:gosec // an idx
		s.reached = min(s.reached, s.end)
	}
	if passed <= s.at.Idx {
		return nil
	}
	if s.Practice == "" {
		return errHole(Place{s.epoch, s.at.Idx + 1})
	}
	s.at = Place{s.epoch, passed}
	return nil
}
