package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// lane counts this process's claims for one destination. Other goroutines use only its
// slots.
type lane struct {
	claimed int           // and not ended
	quick   bool          // its last answer was a 2xx, and fast
	slots   chan struct{} // holds one value for each delivery in flight
}

// enter takes a slot. It returns false if none becomes free within patience, or if ctx
// has ended: then the caller must not post.
func (l *lane) enter(ctx context.Context, patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-ctx.Done():
		return false
	case l.slots <- struct{}{}:
	}
	if ctx.Err() != nil { // select may choose a slot when both are ready
		l.leave()
		return false
	}
	return true
}

func (l *lane) leave() { <-l.slots }

// lanes counts the claims for each destination, so that no receiver can delay another
// (D32).
type lanes struct {
	to       map[uuid.UUID]*lane
	inFlight int // slots taken, or about to be once a token is signed
	full     int // lanes with no free slot
}

func newLanes() *lanes { return &lanes{to: map[uuid.UUID]*lane{}} }

// take counts a claimed delivery.
func (l *lanes) take(destination uuid.UUID) *lane {
	taken, ok := l.to[destination]
	if !ok {
		taken = &lane{slots: make(chan struct{}, perDestination)}
		l.to[destination] = taken
	}
	if taken.claimed < perDestination {
		l.inFlight++
	}
	if taken.claimed++; taken.claimed == perDestination {
		l.full++
	}
	return taken
}

// give counts an ended delivery. It returns whether the lane has enough claims left to
// keep its slots busy.
func (l *lanes) give(o outcome) (busy bool) {
	given := l.to[o.destination]
	given.quick = o.quick
	if given.claimed == perDestination {
		l.full--
	}
	if given.claimed--; given.claimed < perDestination {
		l.inFlight--
	}
	return given.claimed >= perDestination
}

// forget removes the lanes for which a look found no more deliveries.
func (l *lanes) forget() {
	for destination, lane := range l.to {
		if lane.claimed == 0 {
			delete(l.to, destination)
		}
	}
}

// free returns how many more may be in flight.
func (l *lanes) free() int { return overAll - l.inFlight }

// share returns the current limit for one destination. It shrinks as slots are taken:
// 64 receivers that hang, with four slots each, would leave none for the others.
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

// room returns how many more may be claimed for each destination that has a lane. A
// fast receiver gets some in advance, so that they are signed when a slot becomes free.
// A dead receiver holds no more than its slots.
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
