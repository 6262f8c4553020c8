package broker_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/broker"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

// addOf adds an event of each practice.
func (l *fakeLog) addOf(tenants ...string) {
	l.change(func() {
		for _, tenant := range tenants {
			l.append(event.Stored{Name: "patient-request.taken.v1", Data: []byte(`{}`)})
			l.events[len(l.events)-1].Stream.Tenant = tenant
		}
	})
}

// wantBefore compares each message's link to the previous one of its practice.
func wantBefore(t *testing.T, js jetstream.JetStream, epoch int, want map[int64]int64) {
	t.Helper()
	stream, err := js.Stream(t.Context(), feed.StreamName(epoch))
	if err != nil {
		t.Fatal(err)
	}
	for idx, before := range want {
		msg, err := stream.GetMsg(t.Context(), uint64(idx))
		if err != nil {
			t.Fatal(err)
		}
		if m, err := feed.Decode(msg.Subject, msg.Header, msg.Data); err != nil || m.Before != before {
			t.Errorf("idx %d says %d, %v, and not %d", idx, m.Before, err, before)
		}
	}
}

func TestMessageNamesPreviousOfPractice_D102(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(0)
	log.addOf("a", "b", "", "a", "a")
	r := relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 5)
	r.stop()
	log.addOf("", "b", "b", "c", "a")
	relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 10)
	wantBefore(t, js, 1, map[int64]int64{1: 0, 2: 0, 3: 0, 4: 1, 5: 4, 6: 0, 7: 2, 8: 7, 9: 0, 10: 5})
	log.begin(2, 9)
	log.addOf("a", "b", "a")
	holds(t, js, log, feed.Epoch{Epoch: 2, First: 9}, 12)
	wantBefore(t, js, 2, map[int64]int64{10: 0, 11: 0, 12: 10})
}

// The previous event of a practice is unknown once it has expired.
func TestExpiredEventsMayBelongToThePractice_D102(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(0)
	log.addOf("a", "b", "b")
	retained := func(r *broker.Relay) { r.Streams.Retention = 2 * time.Second }
	r := relay(t, s.URL(), log, retained)
	ends(t, js, first, 3)
	r.stop()
	clocktest.Eventually(t, func() bool {
		stream, err := js.Stream(t.Context(), feed.StreamName(1))
		return err == nil && stream.CachedInfo().State.FirstSeq == 4
	}, "the events to be too old")
	stream, err := js.Stream(t.Context(), feed.StreamName(1))
	if err != nil {
		t.Fatal(err)
	}
	lasting := stream.CachedInfo().Config
	lasting.MaxAge = 0
	if _, err := js.UpdateStream(t.Context(), lasting); err != nil {
		t.Fatal(err)
	}
	log.addOf("a", "c", "a")
	relay(t, s.URL(), log, nil)
	clocktest.Eventually(t, func() bool {
		info, err := stream.Info(t.Context())
		return err == nil && info.State.LastSeq == 6
	}, "the other events")
	wantBefore(t, js, 1, map[int64]int64{4: 3, 6: 4})
}

// A follower with an account of its own reads the relay's messages, through all epochs.
func TestAFollowerOfTheRelay_D102(t *testing.T) {
	t.Parallel()
	followRelay(t, 1)
}

// followRelay lets followers read through three epochs from a number of servers.
func followRelay(t *testing.T, servers int) {
	t.Helper()
	w := newDocumented(t, servers)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	log := newLog(0)
	log.addOf("elm-street", "oak-lane", "", "elm-street")
	at := strings.Replace(w.servers[0].ClientURL(), "://", "://relay:relay@", 1)
	r := relay(t, at, log, func(r *broker.Relay) { r.Streams.Replicas, r.Server.CA = servers, filepath.Join(w.dir, "ca.pem") })
	js, err := jetstream.New(w.connect("relay"))
	w.must(err)
	clocktest.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(ctx, time.Second) // servers that do not know each other yet do not answer
		defer cancel()
		_, err := js.Stream(ctx, feed.StreamName(1))
		return err == nil
	}, "the stream; the relay said %v", r.logged)
	for _, f := range []broker.Follower{{Name: "elm-street", Tenant: "elm-street"}, {Name: "everything"}} {
		_, err := broker.Grant(ctx, js, f)
		w.must(err)
	}
	ours, all := newReader(t, w.connect("elm-street"), "elm-street", "elm-street"), newReader(t, w.connect("everything"), "everything", "")
	for epoch := range 3 {
		log.addOf("oak-lane", "elm-street", "oak-lane")
		ours.wants(log, "elm-street")
		all.wants(log, "")
		log.begin(epoch+2, int64(len(log.events))+1)
	}
}

// reader is a follower that records its messages.
type reader struct {
	t  *testing.T
	mu sync.Mutex
	at feed.Place
	is []string
}

func newReader(t *testing.T, conn *nats.Conn, name, practice string) *reader {
	t.Helper()
	r := &reader{t: t}
	sub, err := feed.NewSubscriber(feed.Config{Conn: conn, Name: name, Practice: practice, After: func(context.Context) (feed.Place, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.at, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := sub.Subscribe(context.WithoutCancel(t.Context()), feed.Topic)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Close() })
	go func() {
		for msg := range messages {
			m, err := feed.Read(msg)
			r.mu.Lock()
			r.is, r.at = append(r.is, fmt.Sprint(m.Idx, m.ID, err)), m.Place()
			r.mu.Unlock()
			msg.Ack()
		}
	}()
	return r
}

func (r *reader) wants(log *fakeLog, practice string) {
	r.t.Helper()
	var want []string
	log.change(func() {
		for _, s := range log.events {
			if practice == "" || s.Stream.Tenant == practice {
				want = append(want, fmt.Sprint(s.Idx, s.ID, error(nil)))
			}
		}
	})
	has := func() []string {
		r.mu.Lock()
		defer r.mu.Unlock()
		return slices.Clone(r.is)
	}
	clocktest.Eventually(r.t, func() bool { return len(has()) >= len(want) }, "%d events; read: %v", len(want), clocktest.Lazy(func() any { return has() }))
	if got := has(); !slices.Equal(got, want) {
		r.t.Errorf("read\n%s\nand not\n%s", got, want)
	}
}
