package feed_test

import (
	"testing"

	"frontdesk/feed"
)

// The log was in epoch 3 once, which a restore has taken back.
var epochs = feed.Epochs{{1, 1}, {2, 100}, {4, 151}}

func TestEpochOfIdx(t *testing.T) {
	t.Parallel()
	for idx, want := range map[int64]int{1: 1, 99: 1, 100: 2, 150: 2, 151: 4, 9000: 4} {
		if got := epochs.Holding(idx); got.Epoch != want {
			t.Errorf("idx %d is of %v, want %d", idx, got, want)
		}
	}
}

func TestLostEventsOfPlace(t *testing.T) {
	t.Parallel()
	for at, want := range map[feed.Place]int64{
		{1, 50}: 0, {1, 99}: 0, {1, 100}: 100, {2, 150}: 0, {2, 160}: 151, {3, 150}: 0, {3, 250}: 151, {4, 250}: 0, {0, 0}: 0,
	} {
		if from, lost := epochs.Lost(at); from != want || lost != (want > 0) {
			t.Errorf("at %+v: lost from %d on, %t; want %d", at, from, lost, want)
		}
	}
}
