package admission

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Turns is a queue that limits concurrent work, and serves its holders in turn. However
// many waiters one holder has, the next of another waits behind at most one for each
// holder in front of it. It is safe for concurrent use.
type Turns struct {
	atOnce int
	last   string // "" for none

	mu     sync.Mutex
	taken  int
	lines  []*line // those with waiters; the first is served next
	passed int     // how often the last holder was first and was skipped
}

// line is the waiters of one holder, in order of arrival.
type line struct {
	holder  string
	waiting []chan struct{} // closed when it is served
}

// mostPassed is how often the last holder is skipped before it is served.
const mostPassed = 7

// NewTurns serves up to atOnce at once.
func NewTurns(atOnce int) *Turns { return &Turns{atOnce: atOnce} }

// NewTurnsBefore serves up to atOnce at once. While others wait, the last holder is
// skipped seven times.
func NewTurnsBefore(last string, atOnce int) *Turns { return &Turns{atOnce: atOnce, last: last} }

// Take waits for a turn of the holder, which Release ends. The only error is that of
// ctx, without a turn to end.
func (t *Turns) Take(ctx context.Context, holder string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("wait for a turn: %w", err)
	}
	turn := t.join(holder)
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	if !t.leave(holder, turn) {
		t.Release(holder) // it was served at the same moment
	}
	return fmt.Errorf("wait for a turn: %w", ctx.Err())
}

// Release ends a turn. The holder's next one comes after those of all other current
// waiters.
func (t *Turns) Release(holder string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := t.lineOf(holder); i >= 0 {
		last := t.lines[i]
		t.lines = append(slices.Delete(t.lines, i, i+1), last)
	}
	if len(t.lines) == 0 {
		t.taken--
		return
	}
	t.serve()
}

// Waiting returns the number of waiters.
func (t *Turns) Waiting() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.lines {
		n += len(l.waiting)
	}
	return n
}

// join returns a channel that is closed when it is served.
func (t *Turns) join(holder string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	turn := make(chan struct{})
	if t.taken < t.atOnce {
		t.taken++
		close(turn)
		return turn
	}
	i := t.lineOf(holder)
	if i < 0 {
		i, t.lines = len(t.lines), append(t.lines, &line{holder: holder})
	}
	t.lines[i].waiting = append(t.lines[i].waiting, turn)
	return turn
}

// leave stops waiting. It reports false if it was served already.
func (t *Turns) leave(holder string, turn chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.lineOf(holder)
	if i < 0 {
		return false
	}
	l := t.lines[i]
	at := slices.Index(l.waiting, turn)
	if at < 0 {
		return false
	}
	if l.waiting = slices.Delete(l.waiting, at, at+1); len(l.waiting) == 0 {
		t.lines = slices.Delete(t.lines, i, i+1)
	}
	return true
}

// serve serves the next line, and moves it to the end.
func (t *Turns) serve() {
	i := t.next()
	next := t.lines[i]
	t.lines = slices.Delete(t.lines, i, i+1)
	close(next.waiting[0])
	if next.waiting = next.waiting[1:]; len(next.waiting) > 0 {
		t.lines = append(t.lines, next)
	}
}

// next is the first line, or the second if the first is to be skipped.
func (t *Turns) next() int {
	if t.last == "" || t.lines[0].holder != t.last {
		return 0
	}
	if len(t.lines) == 1 || t.passed == mostPassed {
		t.passed = 0
		return 0
	}
	t.passed++
	return 1
}

func (t *Turns) lineOf(holder string) int {
	return slices.IndexFunc(t.lines, func(l *line) bool { return l.holder == holder })
}
