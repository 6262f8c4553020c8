package replay_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/adapters/sealing"
	"frontdesk/commands"
	"frontdesk/projections"
)

// Without the master key a rebuild verifies all read models except those with personal
// data, and damages none.
func TestARebuildWithoutTheMasterKey_D68(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.live(t, 150)
	s.follow(t)
	staff, answers := s.rows(t, "staff"), s.rows(t, "answers")
	if len(staff) == 0 || len(answers) == 0 {
		t.Fatal("there are no staff or no answers")
	}
	hidden := s.rebuild()
	hidden.Keys = s.keyring(t, sealing.MasterKey{})
	result := run(t, hidden)
	if len(result.Differences) != 0 || !slices.Equal(result.NotCompared, []string{"staff.v1", "answers.v1"}) {
		t.Errorf("found %+v", result)
	}
	s.exec(t, `UPDATE patients SET restricted = NOT restricted`)
	s.exec(t, `DELETE FROM staff WHERE username = 'kim'`)
	hidden.Switch = true
	if result = run(t, hidden); len(result.Differences) != 1 || result.Differences[0].Table != "patients" {
		t.Errorf("found %+v", result.Differences)
	}
	if result := run(t, s.rebuild()); len(result.Differences) != 1 || result.Differences[0].Table != "staff" || len(result.NotCompared) != 0 {
		t.Errorf("with the key found %+v", result)
	}
	s.exec(t, `DELETE FROM answers`)
	s.repaired(t)
	if diff := cmp.Diff(staff, s.rows(t, "staff")) + cmp.Diff(answers, s.rows(t, "answers")); diff != "" {
		t.Errorf("put right (-before +after):\n%s", diff)
	}
}

// rows are the relevant rows of a table: answers are kept for a day.
func (s *surgery) rows(t *testing.T, table string) []string {
	t.Helper()
	rows, _ := s.owner.Query(t.Context(), `SELECT r FROM (SELECT to_jsonb(t) AS r FROM `+table+` t) rows
		WHERE r->>'answered_at' IS NULL OR (r->>'answered_at')::timestamptz > $1 ORDER BY 1`, s.at.Add(-23*time.Hour))
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestOnlySomeReadModelsNeedKeys_D68(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.live(t, 150)
	_, err := commands.Desk{Store: s.store, Now: s.now}.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: "elm-street", Name: "Zoe"}) // without an Idempotency-Key
	if err != nil {
		t.Fatal(err)
	}
	s.follow(t)
	s.exec(t, `DELETE FROM personal_keys WHERE kind = 3`)
	var lost int
	if err := s.owner.QueryRow(t.Context(), `WITH lost AS (DELETE FROM personal_keys k WHERE kind IN (1, 4) AND NOT EXISTS (SELECT FROM events e
		WHERE k.holder IN (e.stream, e.patient) AND e.metadata LIKE '%"idempotency"%' AND e.recorded_at > (SELECT max(recorded_at) FROM events) - interval '24 hours') RETURNING kind)
		SELECT count(DISTINCT kind) FROM lost`).Scan(&lost); err != nil || lost != 2 {
		t.Fatalf("keys of %d kinds are lost, %v; want some of patients and some of requests", lost, err)
	}
	s.keys = s.keyring(t, sealing.MasterKey{1, 2, 3})
	if result := run(t, s.rebuild()); len(result.Differences)+len(result.NotCompared) != 0 {
		t.Errorf("found %+v", result)
	}
	s.exec(t, `DELETE FROM personal_keys WHERE kind = 2`)
	s.keys = s.keyring(t, sealing.MasterKey{1, 2, 3})
	if _, err := s.rebuild().Run(t.Context()); !errors.Is(err, keyring.ErrKeyLost) {
		t.Errorf("staff whose keys are lost: %v", err)
	}
}

func TestPastUsernamesNeedTheMasterKey_D68(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.live(t, 20)
	s.drain(t)
	past := replay.Replay{
		Pool: s.auditor(t), Log: eventstore.Log{Codec: s.codec}, Keys: s.keyring(t, sealing.MasterKey{}), Schema: replay.Temporary,
		Until: replay.Until{Instant: s.at}, Projections: []projections.Projection{projections.Patients{}, projections.Staff{}},
	}
	if _, err := past.Run(t.Context()); err == nil || !errors.Is(err, past.Keys.CanOpen()) {
		t.Errorf("error %v", err)
	}
	past.Projections = past.Projections[:1]
	got, err := past.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got.Close()
}
