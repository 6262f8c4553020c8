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
func (s *stretch) read(ctx context.Context) error {
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
func (s *stretch) pull(ctx context.Context, inbox string, messages <-chan *nats.Msg) error {
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
func (s *stretch) status(ctx context.Context, inbox, status string, msg *nats.Msg) (over bool, err error) {
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
