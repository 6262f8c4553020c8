package replay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/replay"
	"frontdesk/domain/fault"
)

// Two at once would compare with tables that the other one is changing. The second is
// refused with the first one's name, and does not affect it.
func TestOneRebuildAtATime_D54(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.live(t, 100)
	s.follow(t)
	s.exec(t, `DELETE FROM patients`)
	var refused []error
	first := s.rebuild()
	first.Progress = func(int64, int64) {
		for _, fresh := range []bool{false, true} {
			second := s.rebuild()
			second.Fresh, second.Switch = fresh, true
			_, err := second.Run(t.Context())
			refused = append(refused, err)
		}
	}
	result := run(t, first)
	if len(result.Differences) != 1 || result.Differences[0].Missing != 8 {
		t.Errorf("found %+v", result.Differences)
	}
	for _, err := range refused {
		refusal, ok := errors.AsType[*fault.Error](err)
		if !ok || refusal.Code != "rebuild-running" || !strings.Contains(refusal.Detail, "(frontdesk rebuild, user frontdesk_owner, idle in transaction, last statement SELECT, since 20") {
			t.Fatalf("the second says %v", err)
		}
	}
	if len(refused) == 0 {
		t.Error("nobody was refused")
	}
	if result := s.repaired(t); len(result.Differences) != 1 {
		t.Errorf("afterwards: %+v", result)
	}
}

// A run that was interrupted may still write its notes. Another one ignores them.
func TestNotesOfAnotherRunCountForNothing_D54(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.follow(t)
	s.exec(t, `DELETE FROM applications`)
	noting := s.rebuild()
	noting.Tell, noting.Progress = nil, func(int64, int64) {
		s.exec(t, `INSERT INTO `+replay.Schema+`.differing (run, projection, of_table, key, missing, strange)
			SELECT gen_random_uuid(), 'patients.v1', 'patients', jsonb_build_object('tenant', tenant, 'patient', patient)::text, true, true FROM patients`)
	}
	result := run(t, noting)
	if len(result.Differences) != 1 || result.Differences[0].Table != "applications" || result.Differences[0].Missing != 3 {
		t.Errorf("found %+v", result.Differences)
	}
}

// A session has written to events and stays open. The switch cannot begin, and reports
// why. Appends continue: if one waited behind the switch, none would finish.
func TestAppendsGoOnWhileASwitchWaits_D54(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.follow(t)
	s.exec(t, `DELETE FROM applications`)
	appending, err := s.owner.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = appending.Rollback(t.Context()) }()
	if _, err := appending.Exec(t.Context(), `LOCK TABLE events IN ROW EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	told, done := make(chan string, 1), make(chan replay.Result, 1)
	repair := s.rebuild()
	repair.Switch = true
	repair.Tell = func(text string) {
		select {
		case told <- text:
		default: // an append also blocked it
		}
	}
	go func() {
		result, err := repair.Run(t.Context())
		if err != nil {
			t.Error(err)
		}
		done <- result
	}()
	who := fmt.Sprintf("table events is held by pid %d (frontdesk, user frontdesk_owner, idle in transaction, last statement LOCK, since ", appending.Conn().PgConn().PID())
	if got := <-told; !strings.HasPrefix(got, who) {
		t.Errorf("it says %q, want %q", got, who)
	}
	s.register(t, 50)
	s.live(t, 50)
	select {
	case <-done:
		t.Error("it has not waited")
	default:
	}
	if err := appending.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if result := <-done; !result.Switched {
		t.Errorf("mended %+v", result)
	}
}
