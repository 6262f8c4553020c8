package bearer

import (
	"slices"

	"frontdesk/domain/application"
)

// ring keeps the latest sightings of one application.
type ring struct {
	sightings []sighting
	oldest    int // where the next one goes, once the ring is full
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

// forget drops what was before an instant, and the room that it took.
func (r *ring) forget(before int64) {
	kept := slices.DeleteFunc(r.all(), func(s sighting) bool { return s.at < before })
	r.sightings, r.oldest = slices.Clip(kept), 0
	if len(kept) == 0 {
		r.sightings = nil
	}
}

// strangers keep the latest sightings of all names that may be nobody's.
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

// take returns what was seen of a name that is somebody's, and leaves nothing of it.
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

// forget drops what was before an instant.
func (s *strangers) forget(before int64) {
	kept := strangers{}
	for n := range s.names {
		if at := (s.oldest + n) % len(s.names); s.sightings[at].at >= before {
			kept.add(s.names[at], s.sightings[at])
		}
	}
	*s = kept
}
