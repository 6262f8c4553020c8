package webhooks

import (
	"testing"

	"github.com/google/uuid"
)

func TestTheFullerTheHouseTheFewerForEach_D32(t *testing.T) {
	t.Parallel()
	lanes := newLanes()
	// 64 dead receivers would hold all of 256 slots with four each.
	for range 4 {
		for i := range 64 {
			if destination := [16]byte{byte(i)}; lanes.free() > 0 && lanes.claimed(destination) < lanes.share() {
				lanes.take(destination)
			}
		}
	}
	if lanes.free() == 0 {
		t.Error("there is no slot left for a healthy receiver")
	}
	for destination := range lanes.to {
		for lanes.claimed(destination) > 0 {
			lanes.give(outcome{destination: destination})
		}
	}
	lanes.forget()
	if lanes.inFlight != 0 || lanes.share() != perDestination || len(lanes.to) != 0 {
		t.Errorf("%d in flight, share %d, %d lanes", lanes.inFlight, lanes.share(), len(lanes.to))
	}
}

func (l *lanes) claimed(destination uuid.UUID) int {
	if lane, ok := l.to[destination]; ok {
		return lane.claimed
	}
	return 0
}
