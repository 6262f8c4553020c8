package broker_test

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/broker"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

// Package feed needs no more than a follower's account has, and continues into a later
// epoch.
func TestSubscriberRunsWithItsAccount_D103(t *testing.T) {
	t.Parallel()
	w := newTown(t, 1)
	refused := make(chan error, 10)
	conn := w.connect(ours, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	w.make(jetstream.StreamConfig{Name: feed.StreamName(3), Subjects: []string{feed.Subjects(3)}, FirstSeq: 13, DenyPurge: true})
	w.must(broker.Carry(w.ctx, w.relay, 2, 3))
	ids := map[string]bool{}
	for idx := int64(13); idx <= 18; idx++ {
		tenant := map[bool]string{true: ours, false: theirs}[idx%2 == 0]
		m := feed.Message{Epoch: 3, Stored: event.Stored{
			Idx: idx, ID: event.NewID(), Stream: event.Stream{Tenant: tenant, ID: event.NewID()}, Version: 1, At: commandtest.Noon,
			Name: "practice.closed.v1", Data: []byte(`{"until":"2026-11-23T12:00:00Z"}`), Metadata: []byte(`{"actor":{"kind":"service","id":"frontdesk"}}`),
		}}
		w.publish(feed.Encode(m))
		ids[m.ID.String()] = tenant == ours
	}
	w.publish(&nats.Msg{Subject: feed.EpochsSubject, Data: []byte(`[{"epoch":1,"first":1},{"epoch":2,"first":7},{"epoch":3,"first":13}]`)})

	follower, err := feed.NewSubscriber(feed.Config{Conn: conn, Practice: ours, After: func(context.Context) (feed.Place, error) { return feed.Place{Epoch: 2, Idx: 11}, nil }})
	w.must(err)
	messages, err := follower.Subscribe(w.ctx, feed.Topic)
	w.must(err)
	for range 3 {
		msg, open := <-messages
		if !open {
			t.Fatalf("the follower ended: %v", follower.Err())
		}
		if !ids[msg.UUID] {
			t.Errorf("the follower of %s reads %v", ours, msg.Metadata)
		}
		msg.Ack()
	}
	w.must(follower.Close())
	select {
	case err := <-refused:
		t.Errorf("the broker refused %v", err)
	default:
	}
}
