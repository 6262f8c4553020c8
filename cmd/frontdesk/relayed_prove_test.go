//go:build prove

package main_test

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

// wantRelayed fails unless the broker has the whole log once, each epoch in its stream,
// and each event at the sequence that is its idx.
func (s *busy) wantRelayed(log []event.Recorded) {
	s.t.Helper()
	streams := s.broker.JetStream()
	number := 1
	for first, next := 0, 0; first < len(log); first = next {
		for next = first + 1; next < len(log) && !begins(log[next]); next++ {
		}
		stream := feed.StreamName(number)
		waitFor(s.t, func() bool { return lastOf(s.t.Context(), streams, stream) == uint64(log[next-1].Idx) })
		s.wantInStream(streams, stream, log[first:next])
		number++
	}
}

func begins(e event.Recorded) bool {
	_, is := e.Event.(epoch.Begun)
	return is
}

// lastOf returns the last sequence of a stream; 0 without one.
func lastOf(ctx context.Context, streams jetstream.JetStream, name string) uint64 {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	stream, err := streams.Stream(ctx, name)
	if err != nil {
		return 0
	}
	return stream.CachedInfo().State.LastSeq
}

// wantInStream fails unless the events are all that a stream has.
func (s *busy) wantInStream(streams jetstream.JetStream, name string, events []event.Recorded) {
	s.t.Helper()
	consumer, err := streams.OrderedConsumer(s.t.Context(), name, jetstream.OrderedConsumerConfig{})
	s.must(err)
	for _, e := range events {
		msg, err := consumer.Next(jetstream.FetchMaxWait(20 * time.Second))
		s.must(err)
		place, err := msg.Metadata()
		s.must(err)
		m, err := feed.Decode(msg.Subject(), msg.Headers(), msg.Data())
		s.must(err)
		if place.Sequence.Stream != uint64(e.Idx) || m.Idx != e.Idx || m.ID != e.ID {
			s.t.Fatalf("%s has idx %d (%s) at %d, and the log has %s at %d", name, m.Idx, m.ID, place.Sequence.Stream, e.ID, e.Idx)
		}
	}
}
