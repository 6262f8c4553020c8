package eventstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/tracing"
	"frontdesk/domain/event"
)

// batcher lets appends that arrive at once share a transaction: group commit (D60, D130).
// While they are few, each has its own. Otherwise at most two groups are under way, and
// appends that arrive meanwhile wait for the next one. It has no timer, and no goroutine at
// rest.
type batcher struct {
	mu      sync.Mutex
	here    int             // appends under way or waiting
	peak    float64         // most of them, of late
	groups  int             // under way, also of one
	waiting []*member       // in the order in which they arrived
	claimed map[any]*member // by waiting members and those in groups
	closed  bool            // each commits alone
	commits sync.WaitGroup  // one for each group
	limit   time.Duration   // of an append's wait; zero for [patience]
	counted [outcomes]struct{ groups, appends atomic.Int64 }
}

const (
	few        = 10 // appends at once that commit alone
	mostGroups = 2
	mostInAll  = 128     // appends in a group
	mostBytes  = 1 << 20 // of data and metadata in a group
	fading     = 0.97    // what is left of a peak after each commit
)

// patience is the longest wait for a group to begin, or for another append to the same
// stream. Then an append commits alone, so that two groups that wait for a row do not
// stop all others.
const patience = time.Second

// member is an append that may be in a group.
type member struct {
	events []written
	key    event.Digest // of the call; zero if it has none
	claims []any        // streams and the key: no other member of a group has one of them
	bytes  int
	strict bool         // more than its events is stored, so it cannot be left out of its group
	span   tracing.Span // of the append

	done chan struct{} // closed once err is set
	err  error         // nil, [errApart], a conflict, or an unknown outcome
}

// errApart is the outcome of a member whose group stored nothing: it commits alone.
var errApart = errors.New("no group has stored it")

func memberOf(events []written) *member {
	m := &member{events: events, done: make(chan struct{})}
	for i, e := range events {
		if !e.idempotency.IsZero() { // one event at most has it
			m.key, m.claims = e.idempotency, append(m.claims, e.idempotency)
		}
		if i == 0 || e.Stream != events[i-1].Stream {
			m.claims = append(m.claims, e.Stream)
		}
		m.bytes += len(e.Data) + len(e.Metadata) + len(e.Sealed)
		m.strict = m.strict || len(e.rows)+len(e.guards)+len(e.keys) > 0 || e.former != nil
	}
	return m
}

// finish gives a member its outcome.
func (m *member) finish(err error) {
	m.err = err
	close(m.done)
}

// last returns the version that a stream has after the append.
func (m *member) last(stream event.Stream) (version int) {
	for _, e := range m.events {
		if e.Stream == stream {
			version = e.Version
		}
	}
	return version
}

// waitTimer fires when an append has waited long enough.
func (b *batcher) waitTimer() *time.Timer { return time.NewTimer(cmp.Or(b.limit, patience)) }

// role is what an append does when it arrives.
type role int

const (
	alone   role = iota // commits alone
	leading             // commits alone in the place of a group, and then begins the next one
	queued              // gets the outcome of its group
	behind              // has lost if the append before it to the same stream is stored
)

// arrive returns the role of an append, and the one that it is behind. It departs later.
func (b *batcher) arrive(m *member) (role, *member) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.here++
	b.peak = max(b.peak, float64(b.here))
	if b.closed || b.peak <= few || m.bytes > mostBytes {
		return alone, nil
	}
	for _, claim := range m.claims {
		if other := b.claimed[claim]; other != nil {
			if other.outruns(m, claim) {
				return behind, other
			}
			return alone, nil // Postgres has it wait for the group, and then decides on it alone
		}
	}
	if b.claimed == nil {
		b.claimed = map[any]*member{}
	}
	for _, claim := range m.claims {
		b.claimed[claim] = m
	}
	if b.groups == mostGroups {
		b.waiting = append(b.waiting, m)
		return queued, nil
	}
	b.groups++
	b.commits.Add(1)
	return leading, nil
}

// outruns reports whether another append has lost once this one is stored, because both
// claim a stream and the other one was decided without this one's events.
func (m *member) outruns(other *member, claim any) bool {
	stream, ok := claim.(event.Stream)
	if !ok {
		return false
	}
	at := slices.IndexFunc(other.events, func(e written) bool { return e.Stream == stream })
	return other.events[at].Version <= m.last(stream)
}

// depart is called when an append returns to its caller.
func (b *batcher) depart(r role) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.here--
	if r == alone || r == behind {
		b.peak *= fading
	}
}

// leave removes a member from the waiting ones, and reports whether it was there: its group
// may be under way already.
func (b *batcher) leave(m *member) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.Index(b.waiting, m)
	if at < 0 {
		return false
	}
	b.waiting = slices.Delete(b.waiting, at, at+1)
	b.release(m)
	return true
}

func (b *batcher) release(members ...*member) {
	for _, m := range members {
		for _, claim := range m.claims {
			delete(b.claimed, claim)
		}
	}
}

// complete ends the commit of a group, and returns the next one in its place: all waiting
// members, within bounds. If none waits, the place is free.
func (b *batcher) complete(committed ...*member) (next []*member) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.peak *= fading
	b.release(committed...)
	bytes, n := 0, 0
	for ; n < min(len(b.waiting), mostInAll); n++ {
		if bytes += b.waiting[n].bytes; bytes > mostBytes {
			break
		}
	}
	next = slices.Clone(b.waiting[:n])
	b.waiting = slices.Delete(b.waiting, 0, n)
	if n == 0 {
		b.groups--
		b.commits.Done()
	}
	return next
}

// close waits for all groups. Later appends commit alone.
func (b *batcher) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.commits.Wait()
}

// Close waits for the groups of appends that are under way. Their callers may have
// returned. Later appends have transactions of their own.
func (s *Store) Close() { s.batcher.close() }

// store writes the events of one append, alone or in a group.
func (s *Store) store(ctx context.Context, events []written) error {
	ctx, cancel := s.DB.Within(ctx)
	defer cancel()
	m := memberOf(events)
	m.span = tracing.SpanOf(ctx)
	does, other := s.batcher.arrive(m)
	defer s.batcher.depart(does)
	switch does {
	case leading:
		defer s.commitNext(m)
		err := s.alone(ctx, m)
		m.finish(err)
		return err
	case queued:
		if err := s.outcome(ctx, m); !errors.Is(err, errApart) {
			return err
		}
	case behind:
		if s.isStored(ctx, other) {
			return event.ErrConflict
		}
	case alone:
	}
	return s.alone(ctx, m)
}

// isStored waits for the outcome of another append, and reports whether it is stored.
func (s *Store) isStored(ctx context.Context, m *member) bool {
	enough := s.batcher.waitTimer()
	defer enough.Stop()
	select {
	case <-m.done:
		return m.err == nil
	case <-ctx.Done():
	case <-enough.C:
	}
	return false
}

// outcome waits for a member's. If its context ends while the group is under way, the
// outcome is unknown, and the others go on.
func (s *Store) outcome(ctx context.Context, m *member) error {
	enough := s.batcher.waitTimer()
	defer enough.Stop()
	select {
	case <-m.done:
		return m.err
	case <-ctx.Done():
	case <-enough.C:
		if s.batcher.leave(m) {
			return errApart
		}
	}
	select {
	case <-m.done:
		return m.err
	case <-ctx.Done():
		s.batcher.leave(m)
		return postgres.FaultOf(ctx.Err())
	}
}

// alone stores an append in a transaction of its own. The append is refused if it has lost.
func (s *Store) alone(ctx context.Context, m *member) error {
	return s.commit(ctx, []*member{m}, nil)
}

// commit stores appends in one round trip and one implicit transaction. With lost, it leaves
// out the appends that have lost, and adds their indexes to it.
func (s *Store) commit(ctx context.Context, appends []*member, lost *[]int32) error {
	if err := s.DB.ExecBatch(ctx, batchOf(appends, lost)); err != nil {
		return err
	}
	s.Appended.Notify()
	return nil
}

// commitNext completes a member, and commits groups for as long as appends wait. [Store.Close]
// waits for them.
func (s *Store) commitNext(led *member) {
	group := s.batcher.complete(led)
	if len(group) == 0 {
		return
	}
	go func() {
		for len(group) > 0 {
			s.commitGroup(slices.Clone(group))
			group = s.batcher.complete(group...)
		}
	}()
}

// commitGroup stores a group, and gives each member its outcome. A member that has lost its
// stream to another writer gets a conflict; the others are stored. If Postgres refuses the
// group, it stores nothing of it. Then commitGroup removes the members whose patient is
// missing, and those that have lost, and sends the rest again. After a refusal for another
// reason, each member commits alone, on its caller's goroutine, and so each caller gets the
// refusal of its own append. In any other case the outcome is unknown, and nothing is
// sent again.
func (s *Store) commitGroup(group []*member) {
	for len(group) > 0 {
		lost, err := s.storeGroup(group)
		if err != nil {
			if rest := s.sift(group, err); len(rest) < len(group) {
				group = rest
				continue
			}
		}
		outcome := outcomeOf(err)
		s.batcher.count(outcome, 1, len(group)-len(lost))
		s.batcher.count(conflict, 0, len(lost))
		if outcome == refused {
			err = errApart
		}
		for n, m := range group {
			if slices.Contains(lost, int32(n)) {
				m.finish(event.ErrConflict)
			} else {
				m.finish(err)
			}
		}
		return
	}
}

// storeGroup makes one attempt. It returns the indexes of the members that it has left out,
// because they have lost.
func (s *Store) storeGroup(group []*member) (lost []int32, err error) {
	ctx, cancel := context.WithTimeout(traceOf(group), postgres.CallerLimit)
	defer cancel()
	// Members lock the rows that hold at once in this order. Groups of two processes may have
	// the same idempotency keys; other unique values are hardly ever contended, and a
	// deadlock is a refusal like any other.
	slices.SortStableFunc(group, func(a, b *member) int { return bytes.Compare(a.key[:], b.key[:]) })
	err = s.commit(ctx, group, &lost)
	return lost, err
}

// traceOf returns a context of the first append in a group that is traced: its trace shows
// the commit of all of them.
func traceOf(group []*member) context.Context {
	for _, m := range group {
		if m.span.Recording() {
			return m.span.Within(context.Background())
		}
	}
	return context.Background()
}

// sift removes the members that caused a group's refusal, and returns the others, so that
// one caller with unknown patients, or one late for its stream, does not break up each
// group. It returns all if it finds none.
func (s *Store) sift(group []*member, refusal error) (rest []*member) {
	ctx, cancel := context.WithTimeout(context.Background(), postgres.CallerLimit)
	defer cancel()
	found, err := s.causes(ctx, group, refusal)
	if err != nil {
		return group
	}
	outcome := errApart // apart, the caller gets its own refusal
	if errors.Is(refusal, event.ErrConflict) {
		outcome = event.ErrConflict
		s.batcher.count(conflict, 0, len(found))
	}
	for n, m := range group {
		if slices.Contains(found, int32(n)) {
			m.finish(outcome)
		} else {
			rest = append(rest, m)
		}
	}
	return rest
}

// outcomeOf returns the outcome that an error of a group means.
func outcomeOf(err error) outcome {
	switch {
	case err == nil:
		return kept
	case postgres.Undone(err):
		return refused
	}
	return unknown
}

func (b *batcher) count(o outcome, groups, appends int) {
	b.counted[o].groups.Add(int64(groups))
	b.counted[o].appends.Add(int64(appends))
}
