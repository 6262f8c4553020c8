package postgres

import (
	"bytes"
	"runtime"
	"slices"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// begin is an append of one event to a new stream, with so many bytes of data.
func begin(size int) []written { return onward(event.Stream{ID: uuid.New()}, size, 1) }

// onward is an append to a stream, with an event of each version.
func onward(stream event.Stream, size int, versions ...int) (events []written) {
	for _, version := range versions {
		events = append(events, written{Stored: event.Stored{Stream: stream, Version: version, Data: bytes.Repeat([]byte("x"), size)}})
	}
	return events
}

// crowded is a together at which the few have come: whoever may join now does.
func crowded() *together {
	t := &together{}
	for range few {
		t.arrive(nil)
	}
	return t
}

// come has appends arrive, which must all do the same.
func come(t *testing.T, all *together, want role, appends ...[]written) (members []*member) {
	t.Helper()
	for n, events := range appends {
		m := memberOf(events)
		if got := all.arrive(m); got != want {
			t.Fatalf("append %d is in role %d, want %d", n, got, want)
		}
		members = append(members, m)
	}
	return members
}

func times(n, bytes int) (appends [][]written) {
	for range n {
		appends = append(appends, begin(bytes))
	}
	return appends
}

func TestOnlyAppendsToNewStreamsJoin_D60(t *testing.T) {
	t.Parallel()
	a, b := event.Stream{Tenant: "elm-street", ID: uuid.New()}, event.Stream{Tenant: "elm-street", ID: uuid.New()}
	other := event.Stream{Tenant: "oak-street", ID: a.ID}
	for name, c := range map[string]struct {
		events []written
		joins  bool
	}{
		"a new stream":                       {onward(a, 1, 1), true},
		"several events of one":              {onward(a, 1, 1, 2, 3), true},
		"several new streams":                {slices.Concat(onward(a, 1, 1, 2), onward(b, 1, 1)), true},
		"a known version":                    {onward(a, 1, 2), false},
		"a new stream and a known version":   {slices.Concat(onward(a, 1, 1), onward(b, 1, 7)), false},
		"a hole in a new stream":             {onward(a, 1, 1, 3), false},
		"another practice's stream goes on":  {slices.Concat(onward(a, 1, 1), onward(other, 1, 2)), false},
		"as much data as a group may have":   {begin(mostBytes), true},
		"more data than a group may have":    {begin(mostBytes + 1), false},
		"more data than that, in two events": {onward(a, mostBytes/2+1, 1, 2), false},
	} {
		if got := memberOf(c.events) != nil; got != c.joins {
			t.Errorf("%s: joins %v, want %v", name, got, c.joins)
		}
	}
}

func TestAppendsFlyAloneWhileTheyAreFew_D60(t *testing.T) {
	t.Parallel()
	all := &together{}
	come(t, all, single, times(few, 1)...)
	come(t, all, first, begin(1))
	for range 3 {
		all.depart(single)
	}
	come(t, all, first, begin(1)) // there are nine, and were more of late
	for range 100 {
		all.arrive(nil)
		all.depart(single)
	}
	come(t, all, single, begin(1))
}

func TestTwoGroupsAreUnderWayAtMost_D60(t *testing.T) {
	t.Parallel()
	all := crowded()
	flying := come(t, all, first, times(mostGroups, 1)...)
	waiting := come(t, all, waits, times(3, 1)...)
	if group := all.land(flying[0]); !slices.Equal(group, waiting) {
		t.Errorf("%d fly next, want the 3 who wait, in the order in which they came", len(group))
	}
	come(t, all, waits, begin(1))
	if group := all.land(flying[1]); len(group) != 1 {
		t.Errorf("%d fly next, want 1", len(group))
	}
	if group := all.land(waiting...); len(group) != 0 {
		t.Errorf("%d fly next, want nobody", len(group))
	}
	come(t, all, first, begin(1))
}

func TestAGroupIsBounded_D60(t *testing.T) {
	t.Parallel()
	all := crowded()
	flying := come(t, all, first, times(mostGroups, 1)...)
	many := come(t, all, waits, times(mostInAll+2, 1)...)
	large := come(t, all, waits, times(3, mostBytes/2)...)
	for _, want := range [][]*member{many[:mostInAll], slices.Concat(many[mostInAll:], large[:1]), large[1:]} {
		if got := all.land(flying[0]); !slices.Equal(got, want) {
			t.Errorf("a group of %d, want %d", len(got), len(want))
		}
	}
}

func TestWhoClaimsTheSameIsNotInTheSameGroup_D60(t *testing.T) {
	t.Parallel()
	stream, key := event.Stream{ID: uuid.New()}, event.Digest{7}
	keyed := func() []written {
		events := begin(1)
		events[0].idempotency = key
		return events
	}
	for name, again := range map[string]func() []written{
		"a stream":           func() []written { return onward(stream, 1, 1) },
		"an Idempotency-Key": keyed,
	} {
		all := crowded()
		flying := come(t, all, first, again(), begin(1))
		come(t, all, single, again())
		if group := all.land(flying[0]); len(group) != 0 {
			t.Fatalf("%s: %d fly next, want nobody", name, len(group))
		}
		come(t, all, first, again())
	}
}

func TestWhoLeavesBeforeItsGroupDoesNotFly_D60(t *testing.T) {
	t.Parallel()
	all := crowded()
	flying := come(t, all, first, times(mostGroups, 1)...)
	waiting := come(t, all, waits, begin(1), onward(event.Stream{}, 1, 1), begin(1))
	all.leave(waiting[1])
	again := come(t, all, waits, onward(event.Stream{}, 1, 1)) // what it claimed is free
	if group := all.land(flying[0]); !slices.Equal(group, []*member{waiting[0], waiting[2], again[0]}) {
		t.Errorf("%d fly next, want the two who stayed and the one who came", len(group))
	}
	all.leave(waiting[0])
	come(t, all, single, onward(event.Stream{}, 1, 1)) // whoever has set off keeps its claims
}

func TestClosingWaitsForWhoeverFlies_D60(t *testing.T) {
	t.Parallel()
	all := crowded()
	flying := come(t, all, first, times(mostGroups, 1)...)
	come(t, all, waits, begin(1))
	closed := make(chan struct{})
	go func() { all.close(); close(closed) }()
	for !all.closing() {
		runtime.Gosched()
	}
	group := all.land(flying[0])
	all.land(flying[1])
	select {
	case <-closed:
		t.Error("a group is still under way")
	default:
	}
	all.land(group...)
	<-closed
	come(t, all, single, begin(1))
}

func (t *together) closing() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}
