package broker_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/broker"
	"frontdesk/feed"
)

// town is a log of two practices on the documented broker, and a follower of each.
type town struct {
	*documented
	ctx    context.Context
	relay  jetstream.JetStream
	admin  jetstream.JetStream
	stored map[int]int // events by epoch
}

// newTown has a log of two epochs, and followers that have read nothing yet.
func newTown(t *testing.T, servers int) *town {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	w := &town{documented: newDocumented(t, servers), ctx: ctx, stored: map[int]int{}}
	w.relay, w.admin = w.stream("relay", "$JS.API"), w.stream("administrator", "$JS.API")
	w.make(jetstream.StreamConfig{Name: feed.EpochsStream, Subjects: []string{feed.EpochsSubject}, MaxMsgsPerSubject: 1, AllowDirect: true})
	w.publish(&nats.Msg{Subject: feed.EpochsSubject, Data: []byte(`[{"epoch":1,"first":1},{"epoch":2,"first":7}]`)})
	for epoch, first := range []uint64{1: 1, 2: 7} {
		if epoch > 0 {
			w.make(jetstream.StreamConfig{Name: feed.StreamName(epoch), Subjects: []string{feed.Subjects(epoch)}, FirstSeq: first, DenyPurge: true})
			w.happen(epoch)
		}
	}
	for _, f := range []broker.Follower{{Name: ours, Tenant: ours}, {Name: theirs, Tenant: theirs}, {Name: "everything"}} {
		epochs, err := broker.Grant(ctx, w.relay, f)
		w.must(err)
		if epochs != 2 {
			t.Fatalf("granted in %d epochs", epochs)
		}
	}
	return w
}

// make creates a stream, once the servers have formed a cluster.
func (w *town) make(config jetstream.StreamConfig) {
	w.t.Helper()
	config.DenyDelete, config.Replicas = true, len(w.servers)
	for {
		ctx, cancel := context.WithTimeout(w.ctx, time.Second) // there are no answers before there is a leader
		_, err := w.relay.CreateStream(ctx, config)
		cancel()
		if err == nil {
			return
		}
		if w.ctx.Err() != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *town) publish(msg *nats.Msg) {
	w.t.Helper()
	_, err := w.relay.PublishMsg(w.ctx, msg)
	w.must(err)
}

// happen adds six events to an epoch: of both practices, and of none.
func (w *town) happen(epoch int) {
	w.t.Helper()
	for _, tenant := range []string{ours, theirs, "", theirs, ours, theirs} {
		msg := nats.NewMsg(feed.Subject(epoch, tenant, "patient-request.submitted.v1"))
		msg.Data = []byte(map[bool]string{true: `{}`, false: `{"is":"` + secret + `"}`}[tenant == ours])
		w.publish(msg)
		w.stored[epoch]++
	}
}

// stream connects as a user, under the user's prefix of the API.
func (w *town) stream(user, api string) jetstream.JetStream {
	w.t.Helper()
	js, err := jetstream.NewWithAPIPrefix(w.connect(user), api)
	w.must(err)
	return js
}

// read reads a follower's consumer of an epoch from an idx on.
func (w *town) read(js jetstream.JetStream, name string, epoch int, from uint64) (seen []jetstream.Msg) {
	w.t.Helper()
	_, err := js.ResetConsumerToSequence(w.ctx, feed.StreamName(epoch), name, from)
	w.must(err)
	consumer, err := js.Consumer(w.ctx, feed.StreamName(epoch), name)
	w.must(err)
	batch, err := consumer.Fetch(1000, jetstream.FetchMaxWait(500*time.Millisecond))
	w.must(err)
	for msg := range batch.Messages() {
		seen = append(seen, msg)
	}
	return seen
}

// numbers are the sequence numbers of the messages in the stream and in the consumer.
func numbers(t *testing.T, seen []jetstream.Msg) (of, by []uint64) {
	t.Helper()
	for _, msg := range seen {
		is, err := msg.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		of, by = append(of, is.Sequence.Stream), append(by, is.Sequence.Consumer)
	}
	return of, by
}
