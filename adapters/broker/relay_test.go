package broker_test

import (
	"testing"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/feed"
)

var first = feed.Epoch{Epoch: 1, First: 1}

func TestTheStreamIsTheLog_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(5000)
	r := relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 5000)
	wantEpochs(t, js, feed.Epochs{first})
	log.add(1)
	holds(t, js, log, first, 5001)
	clocktest.Eventually(t, func() bool {
		return r.metric("frontdesk_relay_idx") == 5001 && r.metric("frontdesk_relay_lag_events") == 0 && r.metric("frontdesk_relay_lag_seconds") == 0
	}, "the relay to be at 5001; it is at %v", r.at())
}

func TestRelayResumesAtEndOfStream_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(20)
	r := relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 20)
	r.stop()
	log.add(20)
	relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 40)
}

func TestEachEpochIsAStream_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(20)
	relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 20)
	log.begin(2, 11) // ten were lost
	log.add(9)
	holds(t, js, log, feed.Epoch{Epoch: 2, First: 11}, 20)
	wantEpochs(t, js, feed.Epochs{first, {Epoch: 2, First: 11}})
	log.begin(5, 21) // no events were lost, and numbers were left out
	holds(t, js, log, feed.Epoch{Epoch: 5, First: 21}, 21)
	log.begin(7, 15) // all of that was lost
	log.add(1)
	holds(t, js, log, feed.Epoch{Epoch: 7, First: 15}, 16)
	wantEpochs(t, js, feed.Epochs{first, {Epoch: 2, First: 11}, {Epoch: 7, First: 15}})
}

func TestAFreshBrokerIsFilledFromTheLog_D101(t *testing.T) {
	t.Parallel()
	log := newLog(20)
	log.begin(2, 21)
	log.add(2000)
	log.begin(4, 2000)
	log.add(5)
	s, js := server(t)
	relay(t, s.URL(), log, nil)
	holds(t, js, log, feed.Epoch{Epoch: 4, First: 2000}, 2005)
	holds(t, js, log, feed.Epoch{Epoch: 2, First: 21}, 1999)
	holds(t, js, log, first, 20)
	wantEpochs(t, js, feed.Epochs{first, {Epoch: 2, First: 21}, {Epoch: 4, First: 2000}})
}

func TestTwoRelaysAtOnce_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(8000)
	one, other := relay(t, s.URL(), log, nil), relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 8000)
	for n := range int64(20) {
		log.add(1)
		ends(t, js, first, 8001+n)
	}
	holds(t, js, log, first, 8020)
	for _, r := range []*running{one, other} {
		clocktest.Eventually(t, func() bool { return r.metric("frontdesk_relay_idx") == 8020 }, "both relays to be at 8020; one is at %v", r.at())
		if logged := r.logged.String(); logged != "" {
			t.Errorf("it says %s", logged)
		}
	}
}

func TestLostEventsStopTheRelay_D101(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*fakeLog)
		says   string
	}{
		"shorter": {func(l *fakeLog) { l.events = l.events[:15] }, "has come to idx 20 and the log to 15"},
		"as long": {func(l *fakeLog) { l.events = l.events[:15]; l.more(5) }, "at idx 20 and the log has"},
		"longer":  {func(l *fakeLog) { l.events = l.events[:15]; l.more(50) }, "at idx 20 and the log has"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, js := server(t)
			log := newLog(20)
			r := relay(t, s.URL(), log, nil)
			holds(t, js, log, first, 20)
			r.stop()
			log.change(func() { c.change(log) })
			relay(t, s.URL(), log, nil).lost(c.says, "frontdesk audit begin-epoch")
		})
	}
}
