package replay_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// forget erases a patient, as two operators do.
func (s *surgery) forget(t *testing.T, tenant string, id patient.ID) {
	t.Helper()
	asked := s.askErasure(t, tenant, id)
	s.at = s.at.Add(erasure.Soonest)
	s.db.PassClock(t, erasure.Soonest)
	bob := event.WithMetadata(t.Context(), event.Metadata{Actor: event.Operator("bob", "")})
	if err := s.eraser().ConfirmErasure(bob, commands.ConfirmErasure{Person: asked.Person, Erasure: asked.Erasure}); err != nil {
		t.Fatal(err)
	}
}

// askErasure is the first person's request for an erasure.
func (s *surgery) askErasure(t *testing.T, tenant string, id patient.ID) commands.ErasureAsked {
	t.Helper()
	alice := event.WithMetadata(t.Context(), event.Metadata{Actor: event.Operator("alice", "")})
	asked, err := s.eraser().ErasePatient(alice, commands.ErasePatient{
		Tenant: tenant, Patient: id, Basis: erasure.PracticeExit, Reason: "the practice has left",
	})
	if err != nil {
		t.Fatal(err)
	}
	return asked
}

func (s *surgery) eraser() commands.Desk {
	return commands.Desk{Store: s.store, Now: s.now, Erasures: eventstore.Eraser{Erasures: projections.Erasures{DB: s.pool}, Store: s.store}}
}

// ofOthers returns all rows of the tables with patients, except those of one, and the
// number of theirs.
func (s *surgery) ofOthers(t *testing.T, tenant string, id patient.ID) (others map[string][]string, own int) {
	t.Helper()
	others = map[string][]string{}
	for _, table := range []string{"patients", "record_restrictions", "broken_glass", "record_entries", "timeline", "appointments", "authorisations", "answers"} {
		rows, _ := s.pool.Query(t.Context(), `SELECT to_jsonb(t)::text FROM `+table+` t WHERE NOT (tenant = $1 AND patient = $2) ORDER BY 1`, tenant, id)
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		others[table] = found
		var n int
		if err := s.pool.QueryRow(t.Context(), `SELECT count(*) FROM `+table+` WHERE tenant = $1 AND patient = $2`, tenant, id).Scan(&n); err != nil {
			t.Fatal(err)
		}
		own += n
	}
	return others, own
}

// A rebuild honours erasures: it restores no erased data, and changes nothing else.
func TestRebuildKeepsErasures_D70(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.live(t, 400)
	s.follow(t)
	gone := s.patients["elm-street"][0]
	before, had := s.ofOthers(t, "elm-street", gone)
	s.forget(t, "elm-street", gone)
	s.drain(t)
	wantSame(t, run(t, s.rebuild())) // asynchronous projections are behind
	s.follow(t)
	after, left := s.ofOthers(t, "elm-street", gone)
	if diff := cmp.Diff(before, after); had < 10 || left > 0 || diff != "" {
		t.Errorf("of %d rows %d are left; others (-before +after):\n%s", had, left, diff)
	}
	wantSame(t, run(t, s.rebuild()))
	s.live(t, 100) // including refused calls
	if _, left := s.ofOthers(t, "elm-street", gone); left > 0 {
		t.Errorf("%d rows have come back", left)
	}
	s.exec(t, `DELETE FROM erasures`)
	repair := s.rebuild()
	repair.Switch = true
	if result := run(t, repair); !result.Switched || len(result.Differences) != 1 || result.Differences[0].Table != "erasures" {
		t.Errorf("mended %+v", result)
	}
	wantSame(t, run(t, s.rebuild()))
}

// The past can be queried: an erased patient exists there, without a name.
func TestPastStateHonoursLaterErasures_D70(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	gone := s.patients["elm-street"][0]
	s.live(t, 50)
	then := s.at.Add(time.Second)
	s.at = then.Add(time.Second)
	s.forget(t, "elm-street", gone)
	s.drain(t)
	for at, want := range map[time.Time]bool{then: true, s.at.Add(time.Hour): false} {
		err := s.past(t, replay.Until{Instant: at}).View(t.Context(), func(db projections.Querier) error {
			exists, err := projections.Patients{DB: db}.PatientExists(t.Context(), "elm-street", gone)
			if exists != want {
				t.Errorf("at %s the patient exists: %t", at, exists)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
