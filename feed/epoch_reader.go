package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"frontdesk/domain/event"
)

// epochReader reads the rest of an epoch until an error. A message may be lost on its way,
// because nothing is acknowledged. The broker numbers the messages that it sends, so a lost
// one is noticed, and the broker is asked to send it again.
type epochReader struct {
	*following
	chain Epochs // at the beginning
	epoch int
	end   int64 // idx of the epoch's last event, if it is over
	over  bool
	dense bool // every idx is sent

	seen    uint64 // messages received
	beats   int    // heartbeats since the last of them
	reached int64  // idx of the broker at the heartbeat before
}

// process checks that a message is the next one, and hands it to the follower.
func (s *epochReader) process(ctx context.Context, msg *nats.Msg) error {
	metadata, err := msg.Metadata()
	if err != nil {
		return fmt.Errorf("read the broker's metadata of a message: %w", err)
	}
	if metadata.Sequence.Consumer != s.seen+1 {
		return errMissed
	}
	s.seen, s.beats = s.seen+1, 0
	idx := int64(metadata.Sequence.Stream)
	if idx <= s.at.Idx {
		return nil // the broker is behind the follower: it is being filled again
	}
	if s.over && idx > s.end {
		s.at = Place{s.epoch, s.end}
		return errRestart
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
func (s *epochReader) misses(m Message) bool {
	if s.dense {
		return m.Idx != s.at.Idx+1
	}
	return m.Before > s.at.Idx
}

func (s *epochReader) wants(m Message) bool {
	return (s.Practice == "" || m.Stream.Tenant == s.Practice) && (len(s.Events) == 0 || slices.Contains(s.Events, m.Name))
}

// gap returns the error of a gap before an idx. Another process of the same name may have
// reset the consumer, so the broker is asked again before the gap counts.
func (s *epochReader) gap(idx int64) error {
	if s.gaps++; s.gaps < sureOfGap {
		return errMissed
	}
	return &GoneError{Place{s.epoch, s.at.Idx + 1}, idx}
}

const sureOfGap = 7 // with the waits between, a second

// heartbeat processes a heartbeat of the broker, which has nothing to send: the number of
// messages sent, and the idx up to which the broker has looked for more. That idx counts
// when two heartbeats have reported it, because the broker looks before it sends.
func (s *epochReader) heartbeat(ctx context.Context, sent uint64, looked int64) error {
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

// lookForEpochs returns errRestart if the epoch is over.
func (s *epochReader) lookForEpochs(ctx context.Context) error {
	if s.over && s.at.Idx >= s.end {
		return errRestart
	}
	epochs, err := s.epochs(ctx)
	if err == nil && !slices.Equal(epochs, s.chain) {
		return errRestart
	}
	return err
}

// pace returns the interval of heartbeats and the length of a pull request.
func (s *epochReader) pace() (heartbeat, expires time.Duration) {
	if s.over {
		return 100 * time.Millisecond, time.Second
	}
	return time.Second, 5 * time.Second
}

// pullRequest asks the broker for messages. nats.go has pull requests, but it hides the
// heartbeats, which show whether a message was lost on its way, and how far a follower of
// few events has come.
type pullRequest struct {
	Expires   time.Duration `json:"expires"`
	Batch     int           `json:"batch"`
	MaxBytes  int           `json:"max_bytes"`
	Heartbeat time.Duration `json:"idle_heartbeat"`
}

const (
	batch  = 1000 // messages of a pull request
	spare  = 64   // heartbeats and other statuses, which come between them
	margin = 64 << 10
	late   = time.Second // by which a heartbeat may be late
)

// read pulls messages again and again, and processes them.
func (s *epochReader) read(ctx context.Context) error {
	inbox, messages := s.Conn.NewInbox(), make(chan *nats.Msg, batch+spare)
	subscribed, err := s.Conn.ChanSubscribe(inbox+".*", messages)
	if err != nil {
		return s.failed("ask the broker for events", err)
	}
	defer func() { _ = subscribed.Unsubscribe() }() // it has ended if that fails
	for n := 0; ; n++ {
		if err := s.pull(ctx, fmt.Sprint(inbox, ".", n), messages); err != nil {
			return err
		}
	}
}

// pull sends one pull request, and processes the messages that come. Late statuses of the
// request before are ignored.
func (s *epochReader) pull(ctx context.Context, inbox string, messages <-chan *nats.Msg) error {
	room := max(s.InFlight, int(s.Conn.MaxPayload())+margin) // a larger message would never come
	heartbeat, expires := s.pace()
	body, err := json.Marshal(pullRequest{expires, batch, room, heartbeat})
	if err != nil {
		return err
	}
	if err := s.Conn.PublishRequest(s.api+".CONSUMER.MSG.NEXT."+StreamName(s.epoch)+"."+s.Name, inbox, body); err != nil {
		return s.failed("ask the broker for events", err)
	}
	patience := time.NewTimer(0)
	defer patience.Stop()
	for left := batch; left > 0 && room > 0; {
		patience.Reset(2*heartbeat + late)
		select {
		case msg := <-messages:
			status := msg.Header.Get("Status")
			if status != "" && len(msg.Data) == 0 {
				if over, err := s.status(ctx, inbox, status, msg); over || err != nil {
					return err
				}
				continue
			}
			left, room = left-1, room-msg.Size()
			if err := s.process(ctx, msg); err != nil {
				return err
			}
		case <-patience.C:
			return s.failed("wait for a heartbeat of the broker", nats.ErrTimeout)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// status processes a status of the broker, and reports whether the pull request is over.
func (s *epochReader) status(ctx context.Context, inbox, status string, msg *nats.Msg) (over bool, err error) {
	if msg.Subject != inbox {
		return false, nil
	}
	header, description := msg.Header, msg.Header.Get("Description")
	switch {
	case status == "100":
		sent, errSent := strconv.ParseUint(header.Get("Nats-Last-Consumer"), 10, 64)
		looked, errLooked := strconv.ParseInt(header.Get("Nats-Last-Stream"), 10, 64)
		if err := errors.Join(errSent, errLooked); err != nil {
			return false, fmt.Errorf("read a heartbeat of the broker: %w", err)
		}
		return false, s.heartbeat(ctx, sent, looked)
	case status == "408", strings.Contains(description, "MaxBytes"), strings.Contains(description, "Batch Completed"):
		return true, nil
	case status == "503":
		return true, s.failed("ask the broker for events", nats.ErrNoResponders)
	}
	return true, passing{fmt.Errorf("the broker sends no events: %s %s", status, description)}
}
