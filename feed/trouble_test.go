package feed_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/broker/brokertest"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

// everybody follows the whole log, a practice, and one kind of event of another.
func everybody(t *testing.T, url string) (all, ours, few *follower) {
	t.Helper()
	return follow(t, url, feed.Config{}), follow(t, url, feed.Config{Practice: "elm-street"}),
		follow(t, url, feed.Config{Practice: "mill-lane", Events: []string{unlike.EventName()}})
}

func (w *world) wanted(all, ours, few *follower) {
	w.tb.Helper()
	all.wants(w.log)
	ours.wants(w.of("elm-street"))
	var rare []feed.Message
	for _, m := range w.of("mill-lane") {
		if m.Name == unlike.EventName() {
			rare = append(rare, m)
		}
	}
	few.wants(rare)
}

func TestARestartOfTheBrokerIsSurvived_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(20)
	all, ours, few := everybody(t, s.URL())
	for range 3 {
		s.Stop()
		s.Start()
		w.addOf("mill-lane", unlike)
		w.add(7)
		w.wanted(all, ours, few)
	}
}

func TestACutConnectionIsSurvived_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	all, ours, few := everybody(t, s.URL())
	for range 10 {
		for _, f := range []*follower{all, ours, few} {
			if err := f.conn.ForceReconnect(); err != nil {
				t.Fatal(err)
			}
		}
		w.addMany(301)
		w.addOf("mill-lane", unlike)
	}
	w.wanted(all, ours, few)
}

func TestAConsumerThatIsGoneIsWaitedFor_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(5)
	f := follow(t, s.URL(), feed.Config{Practice: "elm-street"})
	f.wants(w.of("elm-street"))
	if err := w.js.DeleteConsumer(t.Context(), feed.StreamName(1), "elm-street"); err != nil {
		t.Fatal(err)
	}
	w.add(5)
	eventually(t, func() bool { return strings.Contains(f.said.String(), "frontdesk feed grant") }, f.said.String)
	w.grant("elm-street", "elm-street")
	f.wants(w.of("elm-street"))
}

// Somebody else who follows under the same name takes messages away and moves the place.
func TestAnotherOfTheSameNameTakesNothingAway_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.addMany(1000)
	for _, config := range []feed.Config{{}, {Practice: "mill-lane"}} {
		f := follow(t, s.URL(), config)
		name := map[string]string{"": "everything", "mill-lane": "mill-lane"}[config.Practice]
		for n := range uint64(20) {
			if _, err := w.js.ResetConsumerToSequence(t.Context(), feed.StreamName(1), name, 1+n*47); err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * time.Millisecond)
		}
		if config.Practice == "" {
			f.wants(w.log)
		} else {
			f.wants(w.of(config.Practice))
		}
	}
}

func TestAnotherLeaderOfTheStreamIsSurvived_D102(t *testing.T) {
	t.Parallel()
	servers := brokertest.Cluster(t, 3)
	w := newWorld(t, servers[0], 3)
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.URL())
	}
	all, ours, few := everybody(t, strings.Join(urls, ","))
	for _, s := range servers[1:] {
		w.add(20)
		s.Stop()
		w.add(20)
		w.addOf("mill-lane", unlike)
		w.wanted(all, ours, few)
		s.Start()
		w.add(5)
		w.wanted(all, ours, few)
	}
}

func TestAFollowerWalksThroughTheEpochs_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(20)
	w.begin(2, 15)
	w.add(10)
	w.addOf("mill-lane", unlike)
	w.begin(3, 22)
	w.add(4)
	w.begin(4, 20) // all of the third, and some of the second, was lost
	w.add(10)
	w.addOf("mill-lane", unlike)
	all, ours, few := everybody(t, s.URL())
	w.wanted(all, ours, few)
	for _, m := range all.has() {
		if m.Epoch == 3 {
			t.Errorf("idx %d is of a lost epoch", m.Idx)
		}
	}
}

// The end of an epoch belongs to others: a follower of one practice is sent nothing there.
func TestAnEpochThatBeginsMeanwhileIsFollowed_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(10)
	w.addOf("", unlike)
	all, ours, few := everybody(t, s.URL())
	w.wanted(all, ours, few)
	w.begin(2, 12)
	w.add(3)
	w.addOf("mill-lane", unlike)
	w.wanted(all, ours, few)
}

func TestWhatNeverHappenedStopsAFollower_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(20)
	f := follow(t, s.URL(), feed.Config{})
	f.wants(w.log)
	w.begin(2, 16)
	w.add(1)
	var lost *feed.LostError
	if err := f.stopped(); !errors.As(err, &lost) || lost.From != 16 || lost.At != (feed.Place{Epoch: 1, Idx: 20}) || lost.Now != (feed.Epoch{Epoch: 2, First: 16}) {
		t.Errorf("it was stopped by %v", err)
	}
	f.mu.Lock()
	f.kept, f.at = nil, feed.Place{}
	f.mu.Unlock()
	f.start()
	f.wants(w.log)
}

func TestAPlaceBeyondTheBrokerIsWaitedFor_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(10)
	for _, at := range []feed.Place{{Epoch: 1, Idx: 12}, {Epoch: 2, Idx: 12}} {
		f := &follower{t: t, at: at}
		f.connect(s.URL())
		f.start()
		if at.Epoch == 2 {
			eventually(t, func() bool { return strings.Contains(f.said.String(), "knows of nothing after epoch 1") }, f.said.String)
		}
		w.add(5)
		if at.Epoch == 1 {
			f.wants(w.log[12:])
		}
		f.stop()
	}
}

// The broker has deleted the events from 1 up to 20.
func (w *world) forget(t *testing.T) {
	t.Helper()
	stream, err := w.js.Stream(t.Context(), feed.StreamName(1))
	if err == nil {
		err = stream.Purge(t.Context(), jetstream.WithPurgeSequence(21))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatTheBrokerHasForgottenStopsAFollower_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(30)
	w.forget(t)
	for _, config := range []feed.Config{{}, {Practice: "elm-street"}, {Practice: "mill-lane"}} {
		f := &follower{t: t, config: config, at: feed.Place{Epoch: 1, Idx: 9}}
		f.connect(s.URL())
		f.start()
		var gone *feed.GoneError
		if err := f.stopped(); !errors.As(err, &gone) || gone.Next != (feed.Place{Epoch: 1, Idx: 10}) || gone.Has < 21 || gone.Has > 22 {
			t.Errorf("%+v: it was stopped by %v", config, err)
		}
		if len(f.has()) > 0 {
			t.Errorf("%+v: %d events were handed over", config, len(f.has()))
		}
		f.at = feed.Place{Epoch: 1, Idx: 20}
		f.start()
		eventually(t, func() bool { return len(f.has()) >= 5 }, f.said.String)
		f.stop()
	}
}

func TestWhatNobodyCanReadStopsAFollower_D102(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*feed.Message, *nats.Msg)
		says   string
		is     error
	}{
		"a newer program's event": {change: func(m *feed.Message, msg *nats.Msg) { m.Name = "practice.moved.v9"; *msg = *feed.Encode(*m) }, is: event.ErrUnknownName},
		"no JSON":                 {change: func(_ *feed.Message, msg *nats.Msg) { msg.Data = []byte("{") }, says: "read the message"},
		"no headers":              {change: func(_ *feed.Message, msg *nats.Msg) { msg.Header = nil }, says: "header"},
		"another idx":             {change: func(m *feed.Message, msg *nats.Msg) { m.Idx = 77; *msg = *feed.Encode(*m) }, says: "says it is at 1:77"},
		"data of another shape":   {change: func(m *feed.Message, msg *nats.Msg) { m.Data = []byte(`{"patient":7}`); *msg = *feed.Encode(*m) }, says: "decode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := onOne(t)
			w.add(4)
			m := w.next("elm-street", someRequest())
			msg := feed.Encode(m)
			c.change(&m, msg)
			w.publish(msg)
			f := follow(t, s.URL(), feed.Config{Practice: "elm-street"})
			if err := f.stopped(); err == nil || !strings.Contains(err.Error(), c.says) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("it was stopped by %v", err)
			}
			f.wants(w.of("elm-street"))
		})
	}
}

func TestWhatWasNotGrantedIsSaid_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(2)
	f := follow(t, s.URL(), feed.Config{Practice: "oak-lane"})
	eventually(t, func() bool { return strings.Contains(f.said.String(), "frontdesk feed grant") }, f.said.String)
	f = follow(t, s.URL(), feed.Config{Practice: "oak-lane", Name: "elm-street"})
	if err := f.stopped(); err == nil || !strings.Contains(err.Error(), "was granted what is published at frontdesk.log.1.elm-street.>") {
		t.Errorf("it was stopped by %v", err)
	}
	f = follow(t, s.URL(), feed.Config{Practice: "mill-lane", Name: "everything"})
	f.wants(w.of("mill-lane"))
}

func TestAConnectionThatIsClosedStopsAFollower_D102(t *testing.T) {
	t.Parallel()
	_, s := onOne(t)
	f := follow(t, s.URL(), feed.Config{})
	f.conn.Close()
	if err := f.stopped(); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("it was stopped by %v", err)
	}
}

// This test runs alone, because it counts goroutines.
func TestCloseWaitsForEverything_D102(t *testing.T) { //nolint:paralleltest // see above
	w, s := onOne(t)
	w.add(50)
	f := &follower{t: t}
	f.connect(s.URL())
	ours := func() (count int) {
		stacks := make([]byte, 1<<20)
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(stack, "frontdesk/feed.") {
				count++
			}
		}
		return count
	}
	for n := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		sub, err := feed.NewSubscriber(feed.Config{Conn: f.conn, Name: "everything", API: "$JS.API", After: f.place})
		if err != nil {
			t.Fatal(err)
		}
		messages, err := sub.Subscribe(ctx, feed.Topic)
		if err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 {
			<-messages // and nobody acknowledges it
		}
		if n%3 == 0 {
			cancel()
		}
		if err := sub.Close(); err != nil {
			t.Error(err)
		}
		for range messages { // it is closed
			t.Error("a message came after the end")
		}
		cancel()
		eventually(t, func() bool { return ours() == 0 }, func() string { return "a goroutine is left" }) // one that has said that it ends may not be gone yet
		if sub.Err() != nil {
			t.Fatal(sub.Err())
		}
	}
	if n := f.conn.NumSubscriptions(); n > 1 { // one is that of the connection's requests
		t.Errorf("%d subscriptions are left", n)
	}
}
