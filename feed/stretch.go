package feed

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"frontdesk/domain/event"
)

// stretch is the rest of an epoch, as far as nothing goes wrong. A message may be lost on
// its way, because nothing is acknowledged. The broker numbers what it sends, so that is
// seen, and it is asked to send it again.
type stretch struct {
	*following
	chain Epochs // as they were when it began
	epoch int
	end   int64 // idx of the epoch's last event, if it is over
	over  bool
	dense bool // every idx comes

	seen    uint64 // messages that have come
	beats   int    // heartbeats since the last of them
	reached int64  // how far the broker had come at the heartbeat before
}

// deal checks that a message is the next one, and has it handled.
func (s *stretch) deal(ctx context.Context, msg *nats.Msg) error {
	is, err := msg.Metadata()
	if err != nil {
		return fmt.Errorf("read what the broker says of a message: %w", err)
	}
	if is.Sequence.Consumer != s.seen+1 {
		return errMissed
	}
	s.seen, s.beats = s.seen+1, 0
	idx := int64(is.Sequence.Stream)
	if idx <= s.at.Idx {
		return nil // the broker is behind the follower, as one that is being filled again
	}
	if s.over && idx > s.end {
		s.at = Place{s.epoch, s.end}
		return errAnew
	}
	m, err := decode(msg, Place{s.epoch, idx})
	if err != nil {
		return err
	}
	if s.misses(m) {
		return s.gap(idx)
	}
	if !s.codec.Knows(m.Name) {
		return fmt.Errorf("the event at %s is of a newer program: %w %q", m.Place(), event.ErrUnknownName, m.Name)
	}
	if !s.wants(m) {
		s.at, s.gaps = m.Place(), 0
		return nil
	}
	if _, err := m.Recorded(); err != nil {
		return err
	}
	return s.hand(ctx, msg, m.Place())
}

func decode(msg *nats.Msg, at Place) (Message, error) {
	m, err := Decode(msg.Subject, msg.Header, msg.Data)
	if err != nil {
		return Message{}, fmt.Errorf("at %s of the broker: %w", at, err)
	}
	if m.Place() != at {
		return Message{}, fmt.Errorf("at %s of the broker is an event that says it is at %s", at, m.Place())
	}
	return m, nil
}

// misses reports whether an event before this one has not come.
func (s *stretch) misses(m Message) bool {
	if s.dense {
		return m.Idx != s.at.Idx+1
	}
	return m.Before > s.at.Idx
}

func (s *stretch) wants(m Message) bool {
	return (s.Practice == "" || m.Stream.Tenant == s.Practice) && (len(s.Events) == 0 || slices.Contains(s.Events, m.Name))
}

// gap is an error because the broker goes on with an idx, and something before it is
// missing. Another process of the same name may have asked for that, so it is asked again.
func (s *stretch) gap(idx int64) error {
	if s.gaps++; s.gaps < sureOfGap {
		return errMissed
	}
	return &GoneError{Place{s.epoch, s.at.Idx + 1}, idx}
}

const sureOfGap = 7 // with the waits between, a second

// beat is a heartbeat of the broker, which has nothing to send: it says how many messages
// it has sent, and how far in the log it has looked for more. That counts when it was
// said twice: the broker looks before it sends.
func (s *stretch) beat(ctx context.Context, sent uint64, looked int64) error {
	if sent != s.seen {
		return errMissed
	}
	s.beats++
	passed := s.reached
	if s.reached = looked; s.over {
		s.reached = min(looked, s.end)
	}
	if s.beats == 1 {
		return nil
	}
	if s.dense && passed > s.at.Idx {
		return s.gap(passed + 1)
	}
	if passed > s.at.Idx {
		s.at = Place{s.epoch, passed}
	}
	if err := s.pass(ctx); err != nil {
		return err
	}
	return s.lookForEpochs(ctx)
}

// lookForEpochs finds out whether the epoch is over.
func (s *stretch) lookForEpochs(ctx context.Context) error {
	if s.over && s.at.Idx >= s.end {
		return errAnew
	}
	epochs, err := s.epochs(ctx)
	if err == nil && !slices.Equal(epochs, s.chain) {
		return errAnew
	}
	return err
}

// pace is how often the broker says that it has nothing to send, and for how long it is
// asked at a time.
func (s *stretch) pace() (heartbeat, expires time.Duration) {
	if s.over {
		return 100 * time.Millisecond, time.Second
	}
	return time.Second, 5 * time.Second
}
