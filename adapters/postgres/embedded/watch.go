package embedded

import (
	"context"
	"sync"
	"time"
)

// watched is a postmaster with a goroutine that notices its end. (No portable
// call waits for a process that is not a child.)
type watched struct {
	postmaster
	done    chan struct{} // closed when it has ended
	forget  context.CancelFunc
	watcher sync.WaitGroup
}

func (s *Server) watch(p postmaster) *watched {
	ctx, forget := context.WithCancel(context.Background())
	w := &watched{postmaster: p, done: make(chan struct{}), forget: forget}
	w.watcher.Go(func() { w.look(ctx, s.logFile()) })
	return w
}

// look polls until the postmaster has ended, or nobody cares any more; now and
// then it keeps the log within bounds.
func (w *watched) look(ctx context.Context, log string) {
	tidy := time.NewTicker(time.Minute)
	defer tidy.Stop()
	for !w.gone() {
		select {
		case <-tidy.C:
			bound(log)
		case <-time.After(pollEvery):
		case <-ctx.Done():
			if !w.gone() {
				return
			}
		}
	}
	close(w.done)
}

// leave ends the watch.
func (w *watched) leave() {
	w.forget()
	w.watcher.Wait()
}
