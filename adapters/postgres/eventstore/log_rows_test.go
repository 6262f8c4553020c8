package eventstore_test

import (
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// A page is read by a range of positions, or one position after another where they are far
// apart. Both find the same: an event that came late to the log, and one whose position is far.
func TestPagesHoldTheWholeLog_D132(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	late := e.inFlight(t)
	for range 20 {
		e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
	}
	e.Drain(t)
	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 2})
	e.Drain(t)
	for _, far := range []string{"5000", "4000000000000000000"} {
		enginetest.Execute(t, db.SuperuserURL, `SELECT setval('events_position_seq', `+far+`)`)
		e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 3})
		e.Drain(t)
	}
	want := stored(t, eventstore.Log{DB: e.Pool}.EachRow(t.Context(), 0))
	if len(want) != 24 {
		t.Fatalf("the log has %d events", len(want))
	}
	for _, page := range []int{1, 2, 7, 21, 22, 1000} {
		log, got := eventstore.Log{DB: e.Pool, Codec: e.Store.Codec, Page: page}, []event.Stored(nil)
		for whole, err := range log.WholeAfter(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, whole.Stored)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in pages of %d (-want +got):\n%s", page, diff)
		}
	}
}

func stored(t *testing.T, rows iter.Seq2[event.Stored, error]) (all []event.Stored) {
	t.Helper()
	for row, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	return all
}
