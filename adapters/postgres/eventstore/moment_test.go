package eventstore_test

import (
	"testing"

	"github.com/google/uuid"
)

func TestMomentNamesTheEventBefore_D104(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.AppendMany(t, 10)
	e.Drain(t)
	log := e.Logged(t)
	for after, want := range map[int64]uuid.UUID{0: {}, 4: log[3].ID, 9: log[8].ID, 10: log[9].ID} {
		now, err := e.Log.Moment(t.Context(), after, 3, 1<<20)
		if err != nil || now.Before != want || len(now.Events) != int(min(3, 10-after)) {
			t.Errorf("after idx %d: %d events after %s (%v), want those after %s", after, len(now.Events), now.Before, err, want)
		}
		for n, s := range now.Events {
			if s.ID != log[after+int64(n)].ID || s.Sealed != nil || now.Head != 10 || now.Epoch != 1 {
				t.Errorf("after idx %d: %+v", after, now)
			}
		}
	}
}
