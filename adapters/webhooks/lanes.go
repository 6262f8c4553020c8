package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// lane is what this process has claimed for one destination. Only its slots are
// used by others than the owner of the lanes.
type lane struct {
	claimed int           // and not ended
	quick   bool          // its last answer was a 2xx, and came quickly
	slots   chan struct{} // holds one for each delivery that is posted
}

// enter takes a slot. It returns false if none becomes free within the patience, or if
// ctx has ended: then nothing may be posted.
func (l *lane) enter(ctx context.Context, patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-ctx.Done():
		return false
	case l.slots <- struct{}{}:
	}
	if ctx.Err() != nil { // both were so
		l.leave()
		return false
	}
	return true
}

func (l *lane) leave() { <-l.slots }

// lanes counts what is claimed for each destination, so that no receiver can
// delay another (D32).
type lanes struct {
	to     map[uuid.UUID]*lane
	flying int // slots that are taken, or will be once a token is signed
	full   int // lanes all of whose slots are
}

func newLanes() *lanes { return &lanes{to: map[uuid.UUID]*lane{}} }

// take counts a delivery that was claimed.
func (l *lanes) take(destination uuid.UUID) *lane {
	taken, ok := l.to[destination]
	if !ok {
		taken = &lane{slots: make(chan struct{}, perDestination)}
		l.to[destination] = taken
	}
	if taken.claimed < perDestination {
		l.flying++
	}
	if taken.claimed++; taken.claimed == perDestination {
		l.full++
	}
	return taken
}

// give counts a delivery that has ended. It returns whether its lane has enough left
// to keep its slots busy.
func (l *lanes) give(o outcome) (busy bool) {
	given := l.to[o.destination]
	given.quick = o.quick
	if given.claimed == perDestination {
		l.full--
	}
	if given.claimed--; given.claimed < perDestination {
		l.flying--
	}
	return given.claimed >= perDestination
}

// forget drops the lanes for which a look has found nothing more.
func (l *lanes) forget() {
	for destination, lane := range l.to {
		if lane.claimed == 0 {
			delete(l.to, destination)
		}
	}
}

// free returns how many more may be in flight.
func (l *lanes) free() int { return overAll - l.flying }

// share returns how many may be in flight to one destination now. The fewer
// slots are free, the smaller it is: 64 receivers that hang, with four slots
// each, would leave none for the others.
func (l *lanes) share() int {
	switch free := l.free(); {
	case free > overAll/2:
		return perDestination
	case free > overAll/4:
		return perDestination / 2
	default:
		return 1
	}
}

// room returns how many more may be claimed for each destination that has a lane.
// Beyond what is in flight, some are claimed ahead for a receiver that is quick, so
// that they are signed when a slot becomes free. One that is dead holds no more than
// its slots.
func (l *lanes) room() (destinations []uuid.UUID, room []int32) {
	share := l.share()
	for destination, lane := range l.to {
		most := share
		if lane.quick && share == perDestination {
			most += ahead
		}
		destinations = append(destinations, destination)
		room = append(room, int32(most-lane.claimed))
	}
	return destinations, room
}
