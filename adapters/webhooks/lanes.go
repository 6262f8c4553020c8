package webhooks

import "github.com/google/uuid"

// lanes counts what is in flight to each destination, so that no receiver can
// delay another (D32).
type lanes struct {
	inFlight map[uuid.UUID]int
	total    int
}

func newLanes() *lanes { return &lanes{inFlight: map[uuid.UUID]int{}} }

func (l *lanes) take(destination uuid.UUID) {
	l.inFlight[destination]++
	l.total++
}

func (l *lanes) give(destination uuid.UUID) {
	l.total--
	if l.inFlight[destination]--; l.inFlight[destination] == 0 {
		delete(l.inFlight, destination)
	}
}

// free returns how many more may be claimed.
func (l *lanes) free() int { return overAll - l.total }

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

// busy returns the destinations with anything in flight, and how much.
func (l *lanes) busy() (destinations []uuid.UUID, used []int32) {
	for destination, n := range l.inFlight {
		destinations = append(destinations, destination)
		used = append(used, int32(n))
	}
	return destinations, used
}
