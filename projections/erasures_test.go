package projections_test

import (
	"testing"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/projections"
	"frontdesk/projections/projectionstest"
)

func TestErasuresAreListedNewestFirst_D136(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	erase := func(tenant string) erasure.ID {
		id, which := patient.ID{UUID: event.NewID()}, erasure.ID{UUID: event.NewID()}
		stream := patient.StreamOf(tenant, id).ID
		d.happened(t.Context(), t, tenant, stream, 0, patient.Registered{Patient: id, Name: "Ann"})
		d.happened(t.Context(), t, tenant, stream, 1, patient.Erased{Patient: id, Done: erasure.Done{
			Erasure: which, Basis: erasure.Restored, Keys: []erasure.Key{{Kind: event.OfPatient, Holder: id.UUID}},
		}})
		return which
	}
	var want []erasure.ID
	for range 5 {
		want = append([]erasure.ID{erase(elm)}, want...)
	}
	others := erase(oak)
	q := projections.Erasures{DB: d.Pool}
	var got []erasure.ID
	for before := (erasure.ID{}); ; {
		page, err := q.Done(t.Context(), elm, before, 2)
		projectionstest.Must(t, err)
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			got = append(got, e.Erasure)
			if e.Basis != erasure.Restored || e.Kind != event.OfPatient || e.ErasedAt.IsZero() || e.Finality != (erasure.Finality{}) {
				t.Errorf("listed is %+v", e)
			}
		}
		before = page[len(page)-1].Erasure
	}
	if len(got) != len(want) {
		t.Fatalf("listed are %v, want %v", got, want)
	}
	for n := range want {
		if got[n] != want[n] {
			t.Errorf("erasure %d is %v, want %v", n, got[n], want[n])
		}
	}
	if _, found, err := q.DoneOf(t.Context(), elm, others.UUID); found || err != nil {
		t.Errorf("another practice's erasure: %t, %v", found, err)
	}
	if e, found, err := q.DoneOf(t.Context(), oak, others.UUID); !found || err != nil || e.Erasure != others {
		t.Errorf("%+v, %t, %v", e, found, err)
	}
	if page, err := q.Done(t.Context(), elm, others, 9); len(page) != 0 || err != nil {
		t.Errorf("after another practice's erasure: %v, %v", page, err)
	}
}
