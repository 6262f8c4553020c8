package admission

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// FairQueue is a queue that limits concurrent work, and serves its holders in turn. However
// many waiters one holder has, the next of another waits behind at most one for each
// holder in front of it. It is safe for concurrent use.
type FairQueue struct {
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

// NewFairQueue serves up to atOnce at once.
func NewFairQueue(atOnce int) *FairQueue { return &FairQueue{atOnce: atOnce} }

// NewFairQueueWithLast serves up to atOnce at once. While others wait, the last holder is
// skipped seven times.
func NewFairQueueWithLast(last string, atOnce int) *FairQueue {
	return &FairQueue{atOnce: atOnce, last: last}
}

// Take waits for a turn of the holder, which Release ends. The only error is that of
// ctx, without a turn to end.
func (q *FairQueue) Take(ctx context.Context, holder string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("wait for a turn: %w", err)
	}
	turn := q.join(holder)
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	if !q.leave(holder, turn) {
		q.Release(holder) // it was served at the same moment
	}
	return fmt.Errorf("wait for a turn: %w", ctx.Err())
}

// Release ends a turn. The holder's next one comes after those of all other current
// waiters.
func (q *FairQueue) Release(holder string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := q.lineOf(holder); i >= 0 {
		last := q.lines[i]
		q.lines = append(slices.Delete(q.lines, i, i+1), last)
	}
	if len(q.lines) == 0 {
		q.taken--
		return
	}
	q.serve()
}

// Waiting returns the number of waiters.
func (q *FairQueue) Waiting() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lines {
		n += len(l.waiting)
	}
	return n
}

// join returns a channel that is closed when it is served.
func (q *FairQueue) join(holder string) chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	turn := make(chan struct{})
	if q.taken < q.atOnce {
		q.taken++
		close(turn)
		return turn
	}
	i := q.lineOf(holder)
	if i < 0 {
		i, q.lines = len(q.lines), append(q.lines, &line{holder: holder})
	}
	q.lines[i].waiting = append(q.lines[i].waiting, turn)
	return turn
}

// leave stops waiting. It reports false if it was served already.
func (q *FairQueue) leave(holder string, turn chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := q.lineOf(holder)
	if i < 0 {
		return false
	}
	l := q.lines[i]
	at := slices.Index(l.waiting, turn)
	if at < 0 {
		return false
	}
	if l.waiting = slices.Delete(l.waiting, at, at+1); len(l.waiting) == 0 {
		q.lines = slices.Delete(q.lines, i, i+1)
	}
	return true
}

// serve serves the next line, and moves it to the end.
func (q *FairQueue) serve() {
	i := q.next()
	next := q.lines[i]
	q.lines = slices.Delete(q.lines, i, i+1)
	close(next.waiting[0])
	if next.waiting = next.waiting[1:]; len(next.waiting) > 0 {
		q.lines = append(q.lines, next)
	}
}

// next is the first line, or the second if the first is to be skipped.
func (q *FairQueue) next() int {
	if q.last == "" || q.lines[0].holder != q.last {
		return 0
	}
	if len(q.lines) == 1 || q.passed == mostPassed {
		q.passed = 0
		return 0
	}
	q.passed++
	return 1
}

func (q *FairQueue) lineOf(holder string) int {
	return slices.IndexFunc(q.lines, func(l *line) bool { return l.holder == holder })
}
