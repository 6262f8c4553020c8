package eventstore_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// lateLog is a log of some events of two practices, three patients and four streams. Many
// came late: they are behind events of higher positions. The clocks of the processes that
// recorded them differed by an hour.
func lateLog(t *testing.T) (e *engine, streams []event.Stream, patients []uuid.UUID) {
	t.Helper()
	db := postgrestest.New(t)
	e = engineOn(t, db.URL)
	random := rand.New(rand.NewPCG(1, 2))
	streams = []event.Stream{enginetest.NewStream(), enginetest.NewStream(), enginetest.NewStream(), {Tenant: "oak-lane", ID: uuid.New()}}
	patients = []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	versions := make([]int, len(streams))
	for n := range 200 {
		e.Store.Now = func() time.Time {
			return enginetest.Noon.Add(time.Duration(n)*time.Minute + time.Duration(random.IntN(2))*time.Hour)
		}
		in := random.IntN(len(streams))
		e.Append(t, streams[in], versions[in], eventtest.Noted{Patient: patients[random.IntN(len(patients))]})
		versions[in]++
	}
	_, err := db.SuperuserPool(t).Exec(t.Context(), `
		INSERT INTO log (idx, position) SELECT row_number() OVER (ORDER BY position + CASE WHEN position % 7 = 0 THEN 50 ELSE 0 END, position), position FROM events;
		UPDATE sequencer SET (head, reached) = (SELECT max(idx), max(position) FROM log)`)
	if err != nil {
		t.Fatal(err)
	}
	return e, streams, patients
}

func idxOf(t *testing.T, events iter.Seq2[event.Recorded, error]) (all []int64) {
	t.Helper()
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Idx)
	}
	return all
}

// A history is read in the order of the log, whole, whether it is found at once or in
// parts, and from any place.
func TestASelectionIsInTheOrderOfTheLog(t *testing.T) {
	t.Parallel()
	e, streams, patients := lateLog(t)
	whole := e.Logged(t)
	for name, c := range map[string]struct {
		of     func() *eventstore.Selection
		passes func(event.Recorded) bool
	}{
		"a patient": {func() *eventstore.Selection { return e.Log.OfPatient(patients[0]) },
			func(r event.Recorded) bool { return r.Event.(eventtest.Noted).Patient == patients[0] }},
		"a stream": {func() *eventstore.Selection { return e.Log.OfStream(streams[1].ID) },
			func(r event.Recorded) bool { return r.Stream == streams[1] }},
		"a practice": {func() *eventstore.Selection { return e.Log.OfTenants("elm-street") },
			func(r event.Recorded) bool { return r.Stream.Tenant == "elm-street" }},
		"two practices": {func() *eventstore.Selection { return e.Log.OfTenants("", "oak-lane") },
			func(r event.Recorded) bool { return r.Stream.Tenant == "oak-lane" }},
	} {
		for _, after := range []int64{0, 1, 60, 199, 200} {
			var want []int64
			for _, r := range whole {
				if c.passes(r) && r.Idx > after {
					want = append(want, r.Idx)
				}
			}
			for _, most := range []int64{5, 70, 1000} {
				if got := idxOf(t, c.of().Holding(most).After(t.Context(), after)); !slices.Equal(got, want) {
					t.Errorf("%s after idx %d, holding %d: got %v, want %v", name, after, most, got, want)
				}
			}
		}
	}
}

// A range of time is found by an index, and leaves out no event, although the log is not in
// the order of time.
func TestInstantsLeaveNothingOut(t *testing.T) {
	t.Parallel()
	e, _, _ := lateLog(t)
	whole := e.Logged(t)
	for _, at := range []eventstore.Instants{
		{}, {Since: enginetest.Noon}, {Since: enginetest.Noon.Add(time.Hour)}, {Until: enginetest.Noon.Add(time.Hour)}, {Since: enginetest.Noon.Add(time.Hour), Until: enginetest.Noon.Add(90 * time.Minute)},
		{Since: enginetest.Noon.Add(59 * time.Minute), Until: enginetest.Noon.Add(time.Hour)}, {Since: enginetest.Noon.Add(24 * time.Hour)}, {Until: enginetest.Noon},
	} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			var want []int64
			for _, r := range whole {
				if !r.At.Before(at.Since) && (at.Until.IsZero() || r.At.Before(at.Until)) && r.Idx > 20 && r.Idx <= 190 {
					want = append(want, r.Idx)
				}
			}
			after, upTo, err := e.Log.Within(t.Context(), at, 20, 190)
			if err != nil {
				t.Fatal(err)
			}
			if len(want) == 0 && after != upTo {
				t.Errorf("there is nothing, and it is after idx %d up to %d", after, upTo)
			}
			if len(want) > 0 && (after != want[0]-1 || upTo != want[len(want)-1]) {
				t.Errorf("after idx %d up to %d, want %v", after, upTo, want)
			}
			chosen := e.Log.OfTenants("elm-street", "oak-lane").Holding(30)
			chosen.Recorded = at
			got := slices.DeleteFunc(idxOf(t, chosen.After(t.Context(), 20)), func(idx int64) bool { return idx > 190 })
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
