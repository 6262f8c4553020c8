package notary_test

import (
	"errors"
	"testing"
	"time"
)

// A failed daily reading has verified nothing. The signer retries after ten minutes.
func TestFailedDailyReadingIsRepeated(t *testing.T) {
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
