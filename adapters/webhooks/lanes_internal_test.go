package webhooks

import "testing"

func TestTheFullerTheHouseTheFewerForEach_D32(t *testing.T) {
	t.Parallel()
	lanes := newLanes()
	// 64 dead receivers would hold all of 256 slots with four each.
	for range 4 {
		for i := range 64 {
			if destination := [16]byte{byte(i)}; lanes.free() > 0 && lanes.inFlight[destination] < lanes.share() {
				lanes.take(destination)
			}
		}
	}
	if lanes.free() == 0 {
		t.Error("there is no slot left for a healthy receiver")
	}
	for destination := range lanes.inFlight {
		for lanes.inFlight[destination] > 0 {
			lanes.give(destination)
		}
	}
	if lanes.total != 0 || lanes.share() != perDestination || len(lanes.inFlight) != 0 {
		t.Errorf("%d in flight, share %d, %d lanes", lanes.total, lanes.share(), len(lanes.inFlight))
	}
}
