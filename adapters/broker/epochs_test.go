package broker_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/broker"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/feed"
)

// A database that was restored from before an epoch does not have it, and must not give
// its number to another one.
func TestRelayReportsForgottenEpoch_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(20)
	r := relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 20)
	log.begin(2, 21)
	log.add(9)
	holds(t, js, log, feed.Epoch{Epoch: 2, First: 21}, 30)
	r.stop()
	log.change(func() { log.events, log.epochs = log.events[:10], feed.Epochs{first} })
	relay(t, s.URL(), log, nil).lost("the broker has come to epoch 2", "begin-epoch", "3")
	log.begin(2, 11)
	relay(t, s.URL(), log, nil).lost("the broker's epoch 2 begins at idx 21 and the log's at 11")
	log.begin(3, 11)
	log.add(4)
	relay(t, s.URL(), log, nil)
	holds(t, js, log, feed.Epoch{Epoch: 3, First: 11}, 15)
	wantEpochs(t, js, feed.Epochs{first, {Epoch: 3, First: 11}})
}

// An epoch begins between two pages: later pages go into its own stream.
func TestAnEpochThatBeginsOnTheWay_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(9000)
	log.onPage = func(pages int) {
		if pages == 5 {
			log.begun(2, 3501)
			log.more(2000)
		}
	}
	relay(t, s.URL(), log, nil)
	holds(t, js, log, feed.Epoch{Epoch: 2, First: 3501}, 5501)
	wantEpochs(t, js, feed.Epochs{first, {Epoch: 2, First: 3501}})
	for _, m := range read(t, js, first, 3500) {
		if m.ID != log.events[m.Idx-1].ID {
			t.Fatalf("idx %d of epoch 1 is another event", m.Idx)
		}
	}
}

// A primary that was cut off has a shorter log than the broker, until connections reach
// the next primary.
func TestRelayRetriesShortLog_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(20)
	r := relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 20)
	r.stop()
	whole := log.events
	log.change(func() { log.events = whole[:15] })
	r = relay(t, s.URL(), log, func(r *broker.Relay) { r.Sure = time.Hour })
	r.wantLog("has come to idx 20 and the log to 15")
	log.change(func() { log.events = whole })
	log.add(1)
	holds(t, js, log, first, 21)
}

// The followers of one epoch find their consumers in the next.
func TestFollowersAreCarriedIntoTheNextEpoch_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(20)
	relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 20)
	if n, err := broker.Grant(t.Context(), js, broker.Follower{Name: "elm", Tenant: "elm-street"}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	log.begin(2, 21)
	wantEpochs(t, js, feed.Epochs{first, {Epoch: 2, First: 21}})
	consumer, err := js.Consumer(t.Context(), feed.StreamName(2), "elm")
	if err != nil || consumer.CachedInfo().Config.FilterSubject != "frontdesk.log.2.elm-street.>" {
		t.Errorf("%v, %v", consumer, err)
	}
}

// The relay works with the rights in docs/operate/nats.conf.
func TestRelayRunsWithItsRights_D101(t *testing.T) {
	t.Parallel()
	d := newDocumented(t, 1)
	log := newLog(20)
	log.begin(2, 21)
	url := strings.Replace(d.servers[0].ClientURL(), "://", "://relay:relay@", 1)
	r := relay(t, url, log, func(r *broker.Relay) { r.Server.CA = filepath.Join(d.dir, "ca.pem") })
	clocktest.Eventually(t, func() bool { return r.metric("frontdesk_relay_idx") == 21 }, "the relay to be at 21; it said %v", r.logged)
	if strings.Contains(r.logged.String(), "relay:relay") {
		t.Error("its log shows the password")
	}
}
