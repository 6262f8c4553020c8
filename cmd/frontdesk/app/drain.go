package app

import (
	"context"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// DefaultDrainDelay is how long a process in production keeps accepting calls after the order
// to stop.
const DefaultDrainDelay = 5 * time.Second

// drain is the time between the order to stop and the stop. The process reports that it is
// not ready, and keeps accepting and serving. Proxies in front of it can switch to other
// processes before its port refuses them (D47).
type drain struct {
	first func() // ends streams that never end on their own; nil for none
	delay time.Duration
	limit time.Duration // for the calls that were accepted by then
	begun atomic.Bool
	hasty atomic.Bool
}

// haste is the time that accepted calls have if [App.Hurry] is called.
const haste = 300 * time.Millisecond

// patience is how long accepted calls have.
func (d *drain) patience() time.Duration {
	if d.hasty.Load() {
		return min(haste, d.limit)
	}
	return d.limit
}

// begin ends the streams that would keep the process from ending, before anything waits for
// it.
func (d *drain) begin() {
	d.begun.Store(true)
	if d.first != nil {
		d.first()
	}
}

// run ends the readiness of the process. It returns when the delay is over, after a second
// signal, or with the error of a listener that fails.
func (d *drain) run(failed <-chan error) error {
	d.begin()
	if d.delay <= 0 {
		return nil
	}
	hurried, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	over := time.NewTimer(d.delay)
	defer over.Stop()
	select {
	case err := <-failed:
		return err
	case <-hurried.Done():
	case <-over.C:
	}
	return nil
}

// sendingAway makes clients that call during the drain open another connection for the next
// call, which leads to another process. Idle connections stay open, because a close may
// collide with a call in transit.
func (d *drain) sendingAway(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.begun.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
