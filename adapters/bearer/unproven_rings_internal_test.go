package bearer

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/application"
)

// full is a ring of strangers after 100 more than its size: sighting n is at n ms, of
// one of two names.
func full() (s strangers, even, odd application.ID) {
	even, odd = application.ID{UUID: uuid.UUID{1}}, application.ID{UUID: uuid.UUID{2}}
	for n := range int64(strangersKept + 100) {
		name := even
		if n%2 == 1 {
			name = odd
		}
		s.add(name, sighting{at: n})
	}
	return s, even, odd
}

// times returns the times of sightings, from one millisecond to another by a step.
func times(from, to, by int64) (all []int64) {
	for at := from; at < to; at += by {
		all = append(all, at)
	}
	return all
}

func timesOf(sightings []sighting) (all []int64) {
	for _, s := range sightings {
		all = append(all, s.at)
	}
	return all
}

func TestStrangersForgetTheOldest(t *testing.T) {
	t.Parallel()
	s, _, _ := full()
	s.forget(1500)
	if got := timesOf(s.sightings); !slices.Equal(got, times(1500, strangersKept+100, 1)) || len(s.names) != len(got) || s.oldest != 0 {
		t.Errorf("%d names of %v are kept, the oldest at %d", len(s.names), got, s.oldest)
	}
}

func TestStrangersTakeOneName(t *testing.T) {
	t.Parallel()
	s, even, odd := full()
	last := int64(strangersKept + 100)
	its := s.take(even)
	if got := timesOf(its.all()); !slices.Equal(got, times(last-2*unprovenKept, last, 2)) {
		t.Errorf("taken is %v", got)
	}
	if got := timesOf(s.sightings); !slices.Equal(got, times(101, last, 2)) || slices.Contains(s.names, even) {
		t.Errorf("left is %v", got)
	}
	if again := s.take(even); len(again.all()) != 0 || len(s.names) != strangersKept/2 {
		t.Errorf("%d are taken again, and %d left", len(again.all()), len(s.names))
	}
	if got := timesOf(s.take(odd).all()); len(got) != unprovenKept || len(s.names) != 0 {
		t.Errorf("%d are taken of the other name, and %d left", len(got), len(s.names))
	}
}
