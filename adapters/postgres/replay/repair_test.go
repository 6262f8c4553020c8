package replay_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/replay"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// repaired runs a rebuild with Switch.
func (s *surgery) repaired(t *testing.T) replay.Result {
	t.Helper()
	repair := s.rebuild()
	repair.Log.Page, repair.Switch = 0, true
	result := run(t, repair)
	if !result.Switched {
		t.Error("did not switch")
	}
	wantSame(t, run(t, s.rebuild()))
	return result
}

// An open append keeps the rebuild from its lock.
func TestSwitchWaitsForAppendsOnlyIfNeeded(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.live(t, 100)
	s.follow(t)
	appending, err := s.owner.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = appending.Rollback(t.Context()) }()
	if _, err := appending.Exec(t.Context(), `LOCK TABLE events IN ROW EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	wantSame(t, s.repaired(t))
	s.exec(t, `DELETE FROM timeline`) // which follows the log
	if result := s.repaired(t); len(result.Differences) != 1 || result.Held != 0 {
		t.Errorf("mended %+v, and appends waited for %s", result.Differences, result.Held)
	}
}

// While appends wait, only the rows that differ are written.
func TestSwitchTouchesOnlyDifferences(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.register(t, 500)
	s.exec(t, `DELETE FROM patients WHERE patient::text LIKE '%7'`)
	s.exec(t, `UPDATE patients SET restricted = true WHERE patient::text LIKE '%3'`)
	const others = `SELECT string_agg(patient || ' ' || xmin, ' ' ORDER BY patient) FROM patients WHERE patient::text NOT LIKE '%7' AND patient::text NOT LIKE '%3'`
	before := ask[string](t, s, others)
	s.repaired(t)
	if after := ask[string](t, s, others); after != before {
		t.Error("rows that did not differ were written anew")
	}
}

// An application with a lost row changes its key address all the time, including
// between the comparison and the lock. Its row is replaced by the log's state under the
// lock.
func TestRowIsRepairedUnderTheLock(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	moves := 0
	moved := func() string { return fmt.Sprintf("https://app.example/%d", moves) }
	s.follow(t)
	s.exec(t, `DELETE FROM applications`)
	repair := s.rebuild()
	repair.Switch = true
	repair.Progress = func(int64, int64) {
		moves++
		err := commands.Desk{Store: s.store, CheckURL: anywhere}.
			SetJWKSURL(t.Context(), commands.SetJWKSURL{Application: s.applications[0], JWKSURL: moved()})
		if err != nil {
			t.Error(err)
		}
	}
	if result := run(t, repair); !result.Switched || moves < 2 {
		t.Errorf("after %d moves: %+v", moves, result)
	}
	if urls := ask[[]string](t, s, `SELECT array_agg(jwks_url ORDER BY jwks_url) FROM applications`); urls[0] != moved() {
		t.Errorf("the keys are at %s, want %s", urls, moved())
	}
}

// However many rows differ, no reader sees only some of them replaced.
func TestASwitchIsOneTransaction(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.register(t, 2500)
	s.exec(t, `DELETE FROM patients`)
	s.exec(t, `DELETE FROM applications`)
	if result := s.repaired(t); len(result.Differences) != 2 {
		t.Errorf("mended %+v", result.Differences)
	}
	const transactions = `SELECT count(DISTINCT xmin::text) FROM (SELECT xmin FROM patients UNION ALL SELECT xmin FROM applications) rows`
	if n := ask[int](t, s, transactions); n != 1 {
		t.Errorf("rows were put right in %d transactions", n)
	}
}

// Every row has the username of the next one, so no row can be replaced before another.
func TestConflictingRowsAreRepaired(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	var changes []event.Change
	for n := range 1500 {
		id := staff.ID{UUID: uuid.New()}
		changes = append(changes, event.Change{Stream: staff.StreamOf("elm-street", id), Events: []event.Event{
			staff.Registered{Username: fmt.Sprintf("user-%d", n), Name: "Kim", Email: "kim@example.org"}}})
	}
	s.append(t, changes)
	s.exec(t, `CREATE TABLE next AS SELECT staff, lead(username, 1, 'user-0') OVER (ORDER BY length(username), username) AS username FROM staff WHERE username LIKE 'user-%'`)
	s.exec(t, `UPDATE staff SET username = '#' || username WHERE username LIKE 'user-%'`)
	s.exec(t, `UPDATE staff s SET username = next.username FROM next WHERE next.staff = s.staff`)
	if result := s.repaired(t); result.Differences[0].Missing != 1500 {
		t.Errorf("mended %+v", result.Differences)
	}
}

// register appends registrations of patients.
func (s *surgery) register(t *testing.T, n int) {
	t.Helper()
	changes := make([]event.Change, n)
	for i := range changes {
		id := patient.ID{UUID: uuid.New()}
		changes[i] = event.Change{Stream: patient.StreamOf("elm-street", id), Events: []event.Event{
			patient.Registered{Patient: id, Name: fmt.Sprintf("Patient %d", i)}}}
	}
	s.append(t, changes)
}

func (s *surgery) append(t *testing.T, changes []event.Change) {
	t.Helper()
	if _, err := s.store.Append(t.Context(), changes...); err != nil {
		t.Fatal(err)
	}
	s.follow(t)
}

func ask[T any](t *testing.T, s *surgery, query string) (answer T) {
	t.Helper()
	if err := s.owner.QueryRow(t.Context(), query).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}
