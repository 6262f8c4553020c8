package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// asked is how the broker is asked for messages. nats.go would do it, but it keeps the
// heartbeats to itself, which say whether a message was lost on its way, and how far a
// follower of few events has come.
type asked struct {
	Expires   time.Duration `json:"expires"`
	Batch     int           `json:"batch"`
	MaxBytes  int           `json:"max_bytes"`
	Heartbeat time.Duration `json:"idle_heartbeat"`
}

const (
	batch  = 1000 // messages that are asked for at once
	spare  = 64   // heartbeats and the like, which come between them
	margin = 64 << 10
	late   = time.Second // that a heartbeat may be
)

// read asks for messages again and again, and deals with them.
func (s *stretch) read(ctx context.Context) error {
	inbox, come := s.Conn.NewInbox(), make(chan *nats.Msg, batch+spare)
	subscribed, err := s.Conn.ChanSubscribe(inbox+".*", come)
	if err != nil {
		return s.failed("ask the broker for events", err)
	}
	defer func() { _ = subscribed.Unsubscribe() }() // it has ended if that fails
	for n := 0; ; n++ {
		if err := s.ask(ctx, fmt.Sprint(inbox, ".", n), come); err != nil {
			return err
		}
	}
}

// ask asks once, and deals with what comes. What the broker still says of the question
// before is passed over.
func (s *stretch) ask(ctx context.Context, inbox string, come <-chan *nats.Msg) error {
	room := max(s.InFlight, int(s.Conn.MaxPayload())+margin) // a message that is larger would never come
	heartbeat, expires := s.pace()
	body, err := json.Marshal(asked{expires, batch, room, heartbeat})
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
		case msg := <-come:
			is := msg.Header.Get("Status")
			if is != "" && len(msg.Data) == 0 {
				if over, err := s.told(ctx, inbox, is, msg); over || err != nil {
					return err
				}
				continue
			}
			left, room = left-1, room-msg.Size()
			if err := s.deal(ctx, msg); err != nil {
				return err
			}
		case <-patience.C:
			return s.failed("wait for a sign of the broker", nats.ErrTimeout)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// told is what the broker says instead of sending an event, and reports whether it will
// send no more unless it is asked again.
func (s *stretch) told(ctx context.Context, inbox, status string, msg *nats.Msg) (over bool, err error) {
	if msg.Subject != inbox {
		return false, nil
	}
	header, says := msg.Header, msg.Header.Get("Description")
	switch {
	case status == "100":
		sent, errSent := strconv.ParseUint(header.Get("Nats-Last-Consumer"), 10, 64)
		looked, errLooked := strconv.ParseInt(header.Get("Nats-Last-Stream"), 10, 64)
		if err := errors.Join(errSent, errLooked); err != nil {
			return false, fmt.Errorf("read a heartbeat of the broker: %w", err)
		}
		return false, s.beat(ctx, sent, looked)
	case status == "408", strings.Contains(says, "MaxBytes"), strings.Contains(says, "Batch Completed"):
		return true, nil
	case status == "503":
		return true, s.failed("ask the broker for events", nats.ErrNoResponders)
	}
	return true, passing{fmt.Errorf("the broker sends no events: %s %s", status, says)}
}
