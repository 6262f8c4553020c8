//go:build prove

package main_test

import (
	"context"
	"sync"

	"github.com/ThreeDotsLabs/watermill/message"

	"frontdesk/adapters/broker"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

// allOfIt is a follower of the whole log that keeps its events.
type allOfIt struct {
	subscriber *feed.Subscriber
	handling   sync.WaitGroup

	mu   sync.Mutex
	read []feed.Message
}

// follower begins to follow all of the log that is relayed.
func (s *busy) follower() *allOfIt {
	s.t.Helper()
	streams := s.broker.JetStream()
	waitFor(s.t, func() bool { return lastOf(s.t.Context(), streams, feed.StreamName(1)) > 0 })
	_, err := broker.Grant(s.t.Context(), streams, broker.Follower{Name: "all-of-it"})
	s.must(err)
	f := &allOfIt{}
	f.subscriber, err = feed.NewSubscriber(feed.Config{
		Conn: streams.Conn(), Name: "all-of-it", API: "$JS.API", // in the log's own account
		After: func(context.Context) (feed.Place, error) { return f.place(), nil },
	})
	s.must(err)
	messages, err := f.subscriber.Subscribe(context.WithoutCancel(s.t.Context()), feed.Topic)
	s.must(err)
	f.handling.Go(func() {
		for m := range messages {
			f.handle(s, m)
		}
	})
	s.t.Cleanup(f.close)
	return f
}

func (f *allOfIt) close() {
	_ = f.subscriber.Close()
	f.handling.Wait()
}

func (f *allOfIt) place() feed.Place {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.read) == 0 {
		return feed.Place{}
	}
	return f.read[len(f.read)-1].Place()
}

func (f *allOfIt) handle(s *busy, msg *message.Message) {
	m, err := feed.Read(msg)
	if err != nil {
		s.t.Error(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read = append(f.read, m)
	msg.Ack()
}

// wantAll fails unless the follower was handed the whole log, once and in its order.
func (f *allOfIt) wantAll(s *busy, log []event.Recorded) {
	s.t.Helper()
	waitFor(s.t, func() bool {
		if err := f.subscriber.Err(); err != nil {
			s.t.Fatal(err)
		}
		return f.place().Idx >= int64(len(log))
	})
	f.close()
	if len(f.read) != len(log) {
		s.t.Fatalf("the follower was handed %d events, and the log has %d", len(f.read), len(log))
	}
	for n, e := range log {
		if m := f.read[n]; m.Idx != e.Idx || m.ID != e.ID {
			s.t.Fatalf("the follower was handed %s (%s) where the log has idx %d (%s)", m.Place(), m.ID, e.Idx, e.ID)
		}
	}
}
