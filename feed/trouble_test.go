package feed_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/clock/clocktest"
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

func TestFollowersOutliveBrokerRestart_D102(t *testing.T) {
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

func TestFollowersOutliveCutConnection_D102(t *testing.T) {
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

func TestFollowerWaitsForItsConsumer_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(5)
	f := follow(t, s.URL(), feed.Config{Practice: "elm-street"})
	f.wants(w.of("elm-street"))
	if err := w.js.DeleteConsumer(t.Context(), feed.StreamName(1), "elm-street"); err != nil {
		t.Fatal(err)
	}
	w.add(5)
	f.waitForLog("frontdesk feed grant")
	w.grant("elm-street", "elm-street")
	f.wants(w.of("elm-street"))
}

// Another follower of the same name takes messages away and moves the consumer.
func TestSecondFollowerTakesNoEvents_D102(t *testing.T) {
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

func TestFollowersOutliveStreamLeader_D102(t *testing.T) {
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

func TestFollowerReadsThroughEpochs_D102(t *testing.T) {
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
func TestFollowerEntersNewEpoch_D102(t *testing.T) {
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

func TestFollowerAheadOfBrokerWaits_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(10)
	for _, at := range []feed.Place{{Epoch: 1, Idx: 12}, {Epoch: 2, Idx: 12}} {
		f := &follower{t: t, at: at}
		f.connect(s.URL())
		f.start()
		if at.Epoch == 2 {
			f.waitForLog("knows of nothing after epoch 1")
		}
		w.add(5)
		if at.Epoch == 1 {
			f.wants(w.log[12:])
		}
		f.stop()
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
			<-messages // it is not acknowledged
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
		clocktest.Eventually(t, func() bool { return ours() == 0 }, "the last goroutine to end") // one that has said that it ends may not be gone yet
		if sub.Err() != nil {
			t.Fatal(sub.Err())
		}
	}
	if n := f.conn.NumSubscriptions(); n > 1 { // one is that of the connection's requests
		t.Errorf("%d subscriptions are left", n)
	}
}
