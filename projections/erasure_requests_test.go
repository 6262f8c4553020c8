package projections_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/projections"
	"frontdesk/projections/projectionstest"
)

func TestErasuresWaitOldestFirst(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	ask := func(tenant string, before time.Duration) projections.RequestedErasure {
		id := patient.ID{UUID: event.NewID()}
		at := noon.Add(-before)
		d.happened(t.Context(), t, tenant, patient.StreamOf(tenant, id).ID, 0, patient.Registered{Patient: id, Name: "Ann"},
			patient.ErasureRequested{Patient: id, Request: erasure.Request{Erasure: erasure.ID{UUID: event.NewID()}, RequestedAt: at}})
		return projections.RequestedErasure{Patient: id, AskedAt: at}
	}
	later, first := ask(elm, time.Hour), ask(elm, 2*time.Hour)
	ask(elm, erasure.Latest+time.Hour) // cannot be confirmed any more
	ask(oak, time.Hour)
	d.follow(t, projections.ErasureRequests{})
	for most, want := range map[int][]projections.RequestedErasure{9: {first, later}, 1: {first}} {
		found, err := projections.ErasureRequests{DB: d.Pool}.Waiting(t.Context(), elm, noon, most)
		projectionstest.Must(t, err)
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("at most %d (-want +got):\n%s", most, diff)
		}
	}
}
