package bearer

import (
	"slices"

	"frontdesk/domain/application"
)

// ring keeps the latest sightings of one application.
type ring struct {
	sightings []sighting
	oldest    int // the index of the next one, once the ring is full
}

func (r *ring) add(s sighting) {
	if len(r.sightings) < unprovenKept {
		r.sightings = append(r.sightings, s)
		return
	}
	r.sightings[r.oldest] = s
	r.oldest = (r.oldest + 1) % unprovenKept
}

// all returns the sightings, oldest first.
func (r *ring) all() []sighting { return slices.Concat(r.sightings[r.oldest:], r.sightings[:r.oldest]) }

// forget removes sightings from before an instant, and frees their memory.
func (r *ring) forget(before int64) {
	kept := slices.DeleteFunc(r.all(), func(s sighting) bool { return s.at < before })
	r.sightings, r.oldest = slices.Clip(kept), 0
	if len(kept) == 0 {
		r.sightings = nil
	}
}

// strangers keeps the latest sightings of all names that may be unregistered.
type strangers struct {
	names     []application.ID
	sightings []sighting
	oldest    int
}

func (s *strangers) add(name application.ID, seen sighting) {
	if len(s.names) < strangersKept {
		s.names, s.sightings = append(s.names, name), append(s.sightings, seen)
		return
	}
	s.names[s.oldest], s.sightings[s.oldest] = name, seen
	s.oldest = (s.oldest + 1) % strangersKept
}

// take removes and returns the sightings of a registered name.
func (s *strangers) take(name application.ID) *ring {
	its, others := &ring{}, strangers{}
	for n := range s.names {
		at := (s.oldest + n) % len(s.names)
		if s.names[at] == name {
			its.add(s.sightings[at])
			continue
		}
		others.add(s.names[at], s.sightings[at])
	}
	if len(its.sightings) > 0 {
		*s = others
	}
	return its
}

// forget removes sightings from before an instant.
func (s *strangers) forget(before int64) {
	kept := strangers{}
	for n := range s.names {
		if at := (s.oldest + n) % len(s.names); s.sightings[at].at >= before {
			kept.add(s.names[at], s.sightings[at])
		}
	}
	*s = kept
}
