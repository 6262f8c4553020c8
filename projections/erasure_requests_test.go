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
		id, request := patient.ID{UUID: event.NewID()}, erasure.ID{UUID: event.NewID()}
		at := noon.Add(-before)
		d.happened(t.Context(), t, tenant, patient.StreamOf(tenant, id).ID, 0, patient.Registered{Patient: id, Name: "Ann"},
			patient.ErasureRequested{Patient: id, Request: erasure.Request{Erasure: request, RequestedAt: at}})
		return projections.RequestedErasure{Patient: id, Erasure: request, AskedAt: at}
	}
	later, first := ask(elm, time.Hour), ask(elm, 2*time.Hour)
	ask(elm, erasure.Latest+time.Hour) // cannot be confirmed any more
	ask(oak, time.Hour)
	d.follow(t, projections.ErasureRequests{})
	for name, page := range map[string]struct {
		after projections.RequestedErasure
		most  int
		want  []projections.RequestedErasure
	}{
		"all":         {most: 9, want: []projections.RequestedErasure{first, later}},
		"a page":      {most: 1, want: []projections.RequestedErasure{first}},
		"the next":    {after: first, most: 1, want: []projections.RequestedErasure{later}},
		"one too far": {after: later, most: 1, want: []projections.RequestedErasure{}},
	} {
		found, err := projections.ErasureRequests{DB: d.Pool}.Waiting(t.Context(), elm, noon, page.after, page.most)
		projectionstest.Must(t, err)
		if diff := cmp.Diff(page.want, found); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
