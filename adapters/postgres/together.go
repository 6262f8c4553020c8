package postgres

import (
	"slices"
	"sync"
	"sync/atomic"

	"frontdesk/adapters/tracing"
	"frontdesk/domain/event"
)

// together says which appends share a transaction (D60). While few come at once, each
// has its own. Otherwise at most two groups are under way, and whoever comes meanwhile
// waits to be in the next one. No group waits for company, and nothing runs at rest.
//
// Only appends to new streams join. They do not lose the optimistic lock, unless by an
// accident, and so a group is hardly ever refused.
type together struct {
	mu      sync.Mutex
	here    int              // appends under way or waiting
	peak    float64          // how many they were of late
	groups  int              // under way, also of one
	waiting []*member        // in the order in which they came
	claimed map[any]struct{} // by those who wait and those in groups
	closed  bool             // everybody flies alone
	flights sync.WaitGroup   // one for each group
	counted [outcomes]struct{ groups, appends atomic.Int64 }
}

const (
	few        = 10 // appends at once, which fly alone
	mostGroups = 2
	mostInAll  = 128     // appends in a group
	mostBytes  = 1 << 20 // of data and metadata in a group
	fading     = 0.97    // what is left of a peak after each landing
)

// member is an append that may share a transaction.
type member struct {
	events  []written
	key     event.Digest // of the call; zero if it has none
	claims  []any        // nobody else in a group has one of these
	bytes   int
	span    tracing.Span // of the append
	outcome chan error   // of its group: nil, [errApart], or what nobody knows the outcome of
}

// memberOf returns nil if the events must fly alone. Each stream in a group begins in it:
// its versions are 1, 2, … under one tenant, so none has to look for its predecessor.
func memberOf(events []written) *member {
	m := &member{events: events, outcome: make(chan error, 1)}
	for i, e := range events {
		if !e.idempotency.IsZero() { // one event at most has it
			m.key, m.claims = e.idempotency, append(m.claims, e.idempotency)
		}
		if e.Version == 1 {
			m.claims = append(m.claims, e.Stream)
		} else if i == 0 || !follows(e, events[i-1]) {
			return nil
		}
		m.bytes += len(e.Data) + len(e.Metadata) + len(e.Sealed)
	}
	if m.bytes > mostBytes {
		return nil
	}
	return m
}

func follows(e, before written) bool {
	return e.Stream == before.Stream && e.Version == before.Version+1
}

// role is what an append does that has just come.
type role int

const (
	single role = iota // flies alone
	first              // flies alone in the place of a group, and then lands
	waits              // is told the outcome of its group
)

// arrive returns what an append does; m is nil if it must fly alone. It departs later.
func (t *together) arrive(m *member) role {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.here++
	t.peak = max(t.peak, float64(t.here))
	if m == nil || t.closed || t.peak <= few || t.clashes(m) {
		return single
	}
	if t.claimed == nil {
		t.claimed = map[any]struct{}{}
	}
	for _, claim := range m.claims {
		t.claimed[claim] = struct{}{}
	}
	if t.groups == mostGroups {
		t.waiting = append(t.waiting, m)
		return waits
	}
	t.groups++
	t.flights.Add(1)
	return first
}

// clashes reports whether somebody in a group claims the same. Whoever comes second
// flies alone: Postgres has it wait for the group, and then refuses it alone.
func (t *together) clashes(m *member) bool {
	return slices.ContainsFunc(m.claims, func(claim any) bool {
		_, taken := t.claimed[claim]
		return taken
	})
}

// depart is called when an append returns to its caller.
func (t *together) depart(r role) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.here--
	if r == single {
		t.peak *= fading
	}
}

// leave takes a member out of those who wait, and reports whether it was there: its group
// may be under way already.
func (t *together) leave(m *member) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.Index(t.waiting, m)
	if at < 0 {
		return false
	}
	t.waiting = slices.Delete(t.waiting, at, at+1)
	t.release(m)
	return true
}

func (t *together) release(members ...*member) {
	for _, m := range members {
		for _, claim := range m.claims {
			delete(t.claimed, claim)
		}
	}
}

// land ends the flight of a group, and returns who flies next in its place: all who
// wait, within bounds. If it is nobody, the place is free.
func (t *together) land(landed ...*member) (next []*member) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.peak *= fading
	t.release(landed...)
	bytes, n := 0, 0
	for ; n < min(len(t.waiting), mostInAll); n++ {
		if bytes += t.waiting[n].bytes; bytes > mostBytes {
			break
		}
	}
	next = slices.Clone(t.waiting[:n])
	t.waiting = slices.Delete(t.waiting, 0, n)
	if n == 0 {
		t.groups--
		t.flights.Done()
	}
	return next
}

// close waits for all groups. Whoever comes later flies alone.
func (t *together) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.flights.Wait()
}

// outcome is what became of a group.
type outcome int

const (
	kept    outcome = iota // all of it is stored
	refused                // nothing of it is stored, and its members flew alone
	unknown                // the connection was lost, or no answer came in time
	outcomes
)

// String returns the outcome as metrics name it.
func (o outcome) String() string { return [outcomes]string{"stored", "refused", "unknown"}[o] }

// outcomeOf returns what an error says of a group.
func outcomeOf(err error) outcome {
	switch {
	case err == nil:
		return kept
	case undone(err):
		return refused
	}
	return unknown
}

func (t *together) count(o outcome, appends int) {
	t.counted[o].groups.Add(1)
	t.counted[o].appends.Add(int64(appends))
}
