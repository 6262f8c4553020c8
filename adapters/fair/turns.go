package fair

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Turns bounds how many do something at once, and lets those who wait take turns by
// holder. However many of one holder wait, the next of another waits behind at most
// one for each holder in front of it. It is safe for concurrent use.
type Turns struct {
	atOnce int
	last   string // "" for none

	mu     sync.Mutex
	taken  int
	lines  []*line // those in which somebody waits; the first is served next
	passed int     // how often the last holder was first and passed over
}

// line is those of one holder who wait, in the order in which they came.
type line struct {
	holder  string
	waiting []chan struct{} // closed when the turn has come
}

// mostPassed is how often the last holder is passed over until its turn has come.
const mostPassed = 7

// NewTurns lets so many take their turn at once.
func NewTurns(atOnce int) *Turns { return &Turns{atOnce: atOnce} }

// NewTurnsBefore lets so many take their turn at once. While others wait, the last
// holder is passed over seven times in its turn.
func NewTurnsBefore(last string, atOnce int) *Turns { return &Turns{atOnce: atOnce, last: last} }

// Take waits for a turn of the holder, which Release ends. The only error is that of
// ctx, and then there is no turn to end.
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
		t.Release(holder) // the turn came at the same moment
	}
	return fmt.Errorf("wait for a turn: %w", ctx.Err())
}

// Release ends a turn. The holder's next one comes after those of all other holders
// who wait now.
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

// Waiting returns how many wait.
func (t *Turns) Waiting() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.lines {
		n += len(l.waiting)
	}
	return n
}

// join returns a channel that is closed when the turn has come.
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

// leave gives up waiting. It reports false if the turn has come already.
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

// serve passes a turn on to the next line, which then goes to the end.
func (t *Turns) serve() {
	i := t.next()
	next := t.lines[i]
	t.lines = slices.Delete(t.lines, i, i+1)
	close(next.waiting[0])
	if next.waiting = next.waiting[1:]; len(next.waiting) > 0 {
		t.lines = append(t.lines, next)
	}
}

// next is the first line or, if that is to be passed over, the second.
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
