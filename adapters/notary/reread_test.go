package notary_test

import (
	"errors"
	"testing"
	"time"

	"frontdesk/adapters/notary"
)

// A failed rereading has verified nothing. The signer retries after ten minutes.
func TestFailedRereadingIsRepeated(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*fakeLog){
		"look":   func(l *fakeLog) { l.fails = errors.New("no route to host") },
		"leaves": func(l *fakeLog) { l.unread = errors.New("canceling statement") },
		"kept":   func(l *fakeLog) { l.unkept = errors.New("canceling statement") },
		"wait":   func(l *fakeLog) { l.wait = "it is a standby" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.quiet()
			log := w.events()
			log.leaves[2] = leafOf(3, "south", "edited")
			log.looks, log.onLook = 0, func(looks int) {
				if looks == 2 { // the round has looked before
					fail(log)
				}
			}
			w.now = w.now.Add(24 * time.Hour)
			w.quiet()
			w.signer.WaitForReading()
			log.fails, log.unread, log.unkept, log.wait, log.onLook = nil, nil, nil, "", nil
			w.now = w.now.Add(10 * time.Minute)
			w.quiet()
			w.signer.WaitForReading()
			w.alarmed("practice south is not as it was")
		})
	}
}

// All leaves are read again at random moments, an hour apart on average, so that a change is
// found although it would have been undone at any fixed time.
func TestRereadingIsUnpredictable_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	waits := []time.Duration{7 * time.Minute, 110 * time.Minute, 0, time.Hour}
	var drawn []time.Duration
	w.begin(func(s *notary.Signer) {
		s.RereadEvery = 0
		s.Random = func(n time.Duration) time.Duration {
			if n != 2*time.Hour {
				t.Errorf("a wait below %s is drawn, want one below 2h", n)
			}
			drawn, waits = append(drawn, waits[0]), waits[1:]
			return drawn[len(drawn)-1]
		}
	})
	w.quiet()
	read := func() (pages int) { // by a round and the rereading that it may begin
		before := w.events().reads
		w.quiet()
		w.signer.WaitForReading()
		w.quiet()
		return w.events().reads - before
	}
	usual := read()
	for _, wait := range []time.Duration{7 * time.Minute, 110 * time.Minute, 0} {
		w.now = w.now.Add(wait)
		if got := read(); got != usual {
			t.Errorf("a wait of %s is over too early: %d pages, want %d", wait, got, usual)
		}
		w.now = w.now.Add(time.Nanosecond)
		if got := read(); got <= usual {
			t.Errorf("after a wait of %s, %d pages are read, want more than %d", wait, got, usual)
		}
	}
}
