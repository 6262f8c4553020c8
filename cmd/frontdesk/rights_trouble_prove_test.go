//go:build prove

package main_test

import (
	"math/rand/v2"
	"syscall"
	"time"

	"frontdesk/cmd/frontdesk/testworld"
)

// trouble kills and pauses one process after the other until it is over.
func (s *rightsTrial) trouble(over <-chan struct{}) {
	s.t.Helper()
	plan := s.plan(0, 0)
	for {
		select {
		case <-over:
			return
		case <-time.After(time.Duration(50+plan.IntN(350)) * time.Millisecond):
		}
		r := s.replicas[plan.IntN(len(s.replicas))]
		if plan.IntN(4) == 0 {
			s.tally.add("process: killed")
			r.kill()
			time.Sleep(time.Duration(plan.IntN(300)) * time.Millisecond)
			r.start(testworld.Binary(s.t))
			continue
		}
		s.tally.add("process: paused")
		r.pause(pauseOf(plan))
	}
}

// pauseOf is the length of a process's pause. One pause in eight is so long that calls are
// judged twice, because their bodies seem to have been slow (D44).
func pauseOf(plan *rand.Rand) time.Duration {
	if plan.IntN(8) == 0 {
		return time.Duration(2100+plan.IntN(900)) * time.Millisecond
	}
	return time.Duration(20+plan.IntN(300)) * time.Millisecond
}

// kill ends the process without any notice.
func (r *replica) kill() {
	_ = r.process.Process.Kill()
	if err := <-r.exited; err == nil {
		r.t.Error("a process ended on its own before it was killed")
	}
	r.process = nil
}

// pause stops the process for a while.
func (r *replica) pause(d time.Duration) {
	_ = r.process.Process.Signal(syscall.SIGSTOP)
	time.Sleep(d)
	_ = r.process.Process.Signal(syscall.SIGCONT)
}
