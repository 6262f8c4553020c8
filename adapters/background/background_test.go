package background_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
)

func TestSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		watch := clock.Start()
		if !background.Sleep(t.Context(), time.Hour) || watch.Elapsed() != time.Hour {
			t.Errorf("slept for %s, want one hour", watch.Elapsed())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		watch = clock.Start()
		if background.Sleep(ctx, time.Hour) || watch.Elapsed() != time.Minute {
			t.Errorf("slept for %s in a context of a minute, want that", watch.Elapsed())
		}
		if background.Sleep(ctx, -time.Hour) {
			t.Error("a context that has ended goes on")
		}
	})
}

func TestBroadcastWakesAllWaiters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b background.Broadcast
		watch, woken := clock.Start(), make(chan time.Duration, 2)
		for range cap(woken) {
			next := b.Next()
			go func() {
				if background.Wait(t.Context(), time.Hour, next) {
					woken <- watch.Elapsed()
				}
			}()
		}
		time.Sleep(time.Second)
		b.Notify()
		for range cap(woken) {
			if after := <-woken; after != time.Second {
				t.Errorf("woken after %s, want 1s", after)
			}
		}
	})
}

// Work that arrives between Next and the wait ends the wait; earlier work does not.
func TestBroadcastDuringLook(t *testing.T) {
	t.Parallel()
	var b background.Broadcast
	b.Notify()
	next := b.Next()
	if background.Notified(next) {
		t.Error("notified by what came before")
	}
	b.Notify()
	if !background.Notified(next) || background.Notified(b.Next()) {
		t.Error("a call of Notify does not close exactly the channel of before")
	}
	var none *background.Broadcast
	none.Notify()
}
