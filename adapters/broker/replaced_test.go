package broker_test

import (
	"testing"

	"frontdesk/feed"
)

// Restored files of Postgres leave no trace, and a client that retries may not notice
// that it was unavailable.
func TestRelayDetectsReplacedLog_D104(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]int{"longer": 50, "as long as a page is": 1005} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, js := server(t)
			log := newLog(20)
			r := relay(t, s.URL(), log, nil)
			holds(t, js, log, first, 20)
			log.change(func() { log.events = log.events[:15]; log.more(more) })
			r.lost("at idx 20 and the log has", "frontdesk audit begin-epoch")
			stream, err := js.Stream(t.Context(), feed.StreamName(1))
			if err != nil {
				t.Fatal(err)
			}
			if last := stream.CachedInfo().State.LastSeq; last != 20 {
				t.Errorf("behind the lost history, at idx 20, the broker was given more, up to idx %d", last)
			}
		})
	}
}

// Between a restore and its epoch, a serving process gives numbers to other events,
// which are the valid ones.
func TestStreamOfOtherHistoryIsRefilled_D104(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(20)
	r := relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 20)
	r.stop()
	log.change(func() { log.events = log.events[:15]; log.more(10) })
	log.begin(2, 26)
	relay(t, s.URL(), log, nil).lost("at idx 20 and the log has", "remove that stream")
	if err := js.DeleteStream(t.Context(), feed.StreamName(1)); err != nil {
		t.Fatal(err)
	}
	relay(t, s.URL(), log, nil)
	holds(t, js, log, feed.Epoch{Epoch: 2, First: 26}, 26)
	holds(t, js, log, first, 25)
}
