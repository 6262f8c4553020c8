package eventstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
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

// crowded is a batcher whose few have come: a later append joins a group if it may.
func crowded() *batcher {
	t := &batcher{}
	for range few {
		t.arrive(memberOf(begin(mostBytes + 1)))
	}
	return t
}

// come has appends arrive, which must all do the same.
func come(t *testing.T, all *batcher, want role, appends ...[]written) (members []*member) {
	t.Helper()
	for n, events := range appends {
		m := memberOf(events)
		if got, _ := all.arrive(m); got != want {
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

func TestAnyAppendMayJoin_D130(t *testing.T) {
	t.Parallel()
	a, b := event.Stream{Tenant: "elm-street", ID: uuid.New()}, event.Stream{Tenant: "elm-street", ID: uuid.New()}
	for name, c := range map[string]struct {
		events []written
		want   role
	}{
		"a new stream":                       {onward(a, 1, 1), leading},
		"several events of one":              {onward(a, 1, 1, 2, 3), leading},
		"several new streams":                {slices.Concat(onward(a, 1, 1, 2), onward(b, 1, 1)), leading},
		"a known version":                    {onward(a, 1, 2), leading},
		"a new stream and a known version":   {slices.Concat(onward(a, 1, 1), onward(b, 1, 7)), leading},
		"as much data as a group may have":   {begin(mostBytes), leading},
		"more data than a group may have":    {begin(mostBytes + 1), alone},
		"more data than that, in two events": {onward(a, mostBytes/2+1, 1, 2), alone},
	} {
		if got, _ := crowded().arrive(memberOf(c.events)); got != c.want {
			t.Errorf("%s: role %v, want %v", name, got, c.want)
		}
	}
}

// The append before it decides whether an append has lost.
func TestAppendsToOneStreamMeet_D130(t *testing.T) {
	t.Parallel()
	stream := event.Stream{Tenant: "elm-street", ID: uuid.New()}
	same := event.Stream{Tenant: "oak-street", ID: stream.ID}
	for name, c := range map[string]struct {
		events []written
		want   role
	}{
		"the same version":     {onward(stream, 1, 4), behind},
		"an earlier version":   {onward(stream, 1, 3), behind},
		"the last of two":      {onward(stream, 1, 5), behind},
		"the version after it": {onward(stream, 1, 6), alone}, // its caller has read the events being stored
		"another practice's":   {onward(same, 1, 4), leading},
	} {
		all := crowded()
		ahead := come(t, all, leading, onward(stream, 1, 4, 5))
		got, other := all.arrive(memberOf(c.events))
		if got != c.want || got == behind && other != ahead[0] {
			t.Errorf("%s: role %v, want %v", name, got, c.want)
		}
	}
}

// Events that continue a stored stream name the version before them; others do not.
func TestEventsNameTheVersionBefore_D130(t *testing.T) {
	t.Parallel()
	a, b := event.Stream{Tenant: "elm-street", ID: uuid.UUID{1}}, event.Stream{Tenant: "elm-street", ID: uuid.UUID{2}}
	events := eventsOf([]*member{memberOf(onward(b, 1, 8, 9)), memberOf(slices.Concat(onward(a, 1, 1, 2), onward(a, 1, 5)))})
	var after []int32
	for n := range events {
		if a := afterOf(events, n); a.Valid {
			after = append(after, events[n].member, a.Int32)
		}
	}
	if want := []int32{1, 4, 0, 7}; !slices.Equal(after, want) {
		t.Errorf("members and versions %v, want %v", after, want)
	}
}

func TestFewAppendsCommitAlone_D60(t *testing.T) {
	t.Parallel()
	all := &batcher{}
	come(t, all, alone, times(few, 1)...)
	come(t, all, leading, begin(1))
	for range 3 {
		all.depart(alone)
	}
	come(t, all, leading, begin(1)) // there are nine, and were more of late
	for range 100 {
		all.arrive(memberOf(begin(mostBytes + 1)))
		all.depart(alone)
	}
	come(t, all, alone, begin(1))
}

func TestTwoGroupsAtMost_D60(t *testing.T) {
	t.Parallel()
	all := crowded()
	leaders := come(t, all, leading, times(mostGroups, 1)...)
	waiting := come(t, all, queued, times(3, 1)...)
	if group := all.complete(leaders[0]); !slices.Equal(group, waiting) {
		t.Errorf("%d come next, want the 3 who wait, in the order in which they came", len(group))
	}
	come(t, all, queued, begin(1))
	if group := all.complete(leaders[1]); len(group) != 1 {
		t.Errorf("%d come next, want 1", len(group))
	}
	if group := all.complete(waiting...); len(group) != 0 {
		t.Errorf("%d come next, want none", len(group))
	}
	come(t, all, leading, begin(1))
}

func TestAGroupIsBounded_D60(t *testing.T) {
	t.Parallel()
	all := crowded()
	leaders := come(t, all, leading, times(mostGroups, 1)...)
	many := come(t, all, queued, times(mostInAll+2, 1)...)
	large := come(t, all, queued, times(3, mostBytes/2)...)
	for _, want := range [][]*member{many[:mostInAll], slices.Concat(many[mostInAll:], large[:1]), large[1:]} {
		if got := all.complete(leaders[0]); !slices.Equal(got, want) {
			t.Errorf("a group of %d, want %d", len(got), len(want))
		}
	}
}

func TestOneClaimInAGroup_D60(t *testing.T) {
	t.Parallel()
	stream, key := event.Stream{ID: uuid.New()}, event.Digest{7}
	keyed := func() []written {
		events := begin(1)
		events[0].idempotency = key
		return events
	}
	for name, c := range map[string]struct {
		again func() []written
		want  role
	}{
		"a stream":           {func() []written { return onward(stream, 1, 1) }, behind},
		"an Idempotency-Key": {keyed, alone},
	} {
		again := c.again
		all := crowded()
		leaders := come(t, all, leading, again(), begin(1))
		come(t, all, c.want, again())
		if group := all.complete(leaders[0]); len(group) != 0 {
			t.Fatalf("%s: %d come next, want none", name, len(group))
		}
		come(t, all, leading, again())
	}
}

func TestLeavingBeforeTheGroupBegins_D60(t *testing.T) {
	t.Parallel()
	all := crowded()
	leaders := come(t, all, leading, times(mostGroups, 1)...)
	waiting := come(t, all, queued, begin(1), onward(event.Stream{}, 1, 1), begin(1))
	all.leave(waiting[1])
	again := come(t, all, queued, onward(event.Stream{}, 1, 1)) // its claims are free
	if group := all.complete(leaders[0]); !slices.Equal(group, []*member{waiting[0], waiting[2], again[0]}) {
		t.Errorf("%d come next, want the two who stayed and the one who came", len(group))
	}
	all.leave(waiting[0])
	come(t, all, behind, onward(event.Stream{}, 1, 1)) // a group that has begun keeps its claims
}

func TestClosingWaitsForGroups_D60(t *testing.T) {
	t.Parallel()
	all := crowded()
	leaders := come(t, all, leading, times(mostGroups, 1)...)
	come(t, all, queued, begin(1))
	closed := make(chan struct{})
	go func() { all.close(); close(closed) }()
	for !all.closing() {
		runtime.Gosched()
	}
	group := all.complete(leaders[0])
	all.complete(leaders[1])
	select {
	case <-closed:
		t.Error("a group is still under way")
	default:
	}
	all.complete(group...)
	<-closed
	come(t, all, alone, begin(1))
}

func (b *batcher) closing() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// A group falls apart only if nothing of it is stored: whatever leaves that open must
// not be sent again.
func TestUndoneMeansNotStored_D60(t *testing.T) {
	t.Parallel()
	said := func(severity, code string) error {
		return postgres.FaultOf(&pgconn.PgError{SeverityUnlocalized: severity, Code: code})
	}
	for name, c := range map[string]struct {
		err  error
		want outcome
	}{
		"stored":                     {nil, kept},
		"a duplicate row":            {said("ERROR", "23505"), refused},
		"a name that is taken":       {staff.ErrUsernameTaken, refused},
		"a deadlock":                 {said("ERROR", "40P01"), refused},
		"a conflict":                 {fmt.Errorf("%w (%w)", event.ErrConflict, said("ERROR", "23505")), refused},
		"a full disk":                {said("ERROR", "53100"), refused},
		"cancelled":                  {said("ERROR", "57014"), refused},
		"completion unknown":         {said("ERROR", "40003"), unknown},
		"a pooler's lost connection": {said("ERROR", "08006"), unknown},
		"a server that shuts down":   {said("FATAL", "57P01"), unknown},
		"a server that has crashed":  {said("PANIC", "XX000"), unknown},
		"a lost connection":          {postgres.FaultOf(fmt.Errorf("read: %w", context.DeadlineExceeded)), unknown},
		"an outage":                  {postgres.ErrUnavailable, unknown},
		"an unexpected error":        {errors.New("odd"), unknown},
	} {
		if got := outcomeOf(c.err); got != c.want {
			t.Errorf("%s: outcome %d, want %d", name, got, c.want)
		}
	}
}
