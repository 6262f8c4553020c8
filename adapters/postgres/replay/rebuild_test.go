package replay_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/postgres/replay"
	"frontdesk/commands"
	"frontdesk/projections"
)

func run(t *testing.T, r *replay.Rebuild) replay.Result {
	t.Helper()
	result, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func wantSame(t *testing.T, result replay.Result) {
	t.Helper()
	if len(result.Differences) > 0 {
		t.Errorf("differs: %+v", result.Differences)
	}
}

func TestARebuildOfEveryReadModelIsTheLiveOne(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.live(t, 700)
	s.askErasure(t, s.tenants[0], s.patients[s.tenants[0]][0])
	s.follow(t)
	s.live(t, 30)
	s.drain(t)
	s.live(t, 20) // not in the log yet, so asynchronous projections are behind
	result := run(t, s.rebuild())
	wantSame(t, result)
	for _, p := range s.rebuild().Projections {
		for _, table := range projections.TablesOf(p) {
			s.wantRows(t, table.Name)
		}
	}
	if s.schemas(t) != 0 {
		t.Error("the shadow stays behind")
	}
}

// wantRows fails if a history leaves too few rows for the test.
func (s *surgery) wantRows(t *testing.T, table string) {
	t.Helper()
	dull := map[string]bool{"signing_keys": true, "rooms": true, "displays": true, "attachments": true, "staff_links": true, "staff_passkeys": true, "passkey_rules": true, "sign_ins": true, "note_templates": true, "teams": true, "erasures": true}
	var rows int
	if err := s.pool.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&rows); err != nil || rows == 0 && !dull[table] {
		t.Errorf("table %s: %d rows, %v", table, rows, err)
	}
}

func (s *surgery) schemas(t *testing.T) (n int) {
	t.Helper()
	if err := s.owner.QueryRow(t.Context(), `SELECT count(*) FROM pg_namespace WHERE nspname = $1`, replay.Schema).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDamagedReadModelIsRepaired(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.live(t, 300)
	s.follow(t)
	s.exec(t, `DELETE FROM enablements WHERE ctid = (SELECT min(ctid) FROM enablements)`)
	s.exec(t, `UPDATE staff SET active = false, name = 'Nobody' WHERE username = 'kim' AND tenant = 'elm-street'`)
	s.exec(t, `INSERT INTO endpoint_grants (application, endpoint, mode) VALUES (gen_random_uuid(), 'create-note', 'user-restricted')`)
	s.exec(t, `DELETE FROM timeline WHERE idx = (SELECT min(idx) FROM timeline)`)
	type found struct{ Missing, Strange int64 }
	tables := func(r replay.Result) map[string]found {
		all := map[string]found{}
		for _, d := range r.Differences {
			all[d.Table] = found{d.Missing, d.Strange}
		}
		return all
	}
	want := map[string]found{"enablements": {1, 0}, "staff": {1, 1}, "endpoint_grants": {0, 1}, "timeline": {1, 0}}

	seen := run(t, s.rebuild())
	if diff := cmp.Diff(want, tables(seen)); diff != "" || seen.Switched {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	repair := s.rebuild()
	repair.Switch = true
	if result := run(t, repair); !result.Switched || !cmp.Equal(want, tables(result)) {
		t.Errorf("mended %+v", result)
	}
	wantSame(t, run(t, s.rebuild()))
}

// A synchronous projection stays correct during its rebuild.
func TestARebuildSwitchesWhileOthersWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long; make test runs it")
	}
	t.Parallel()
	s := newSurgery(t)
	s.live(t, 200)
	s.follow(t)
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for _, tenant := range s.tenants {
		writers.Go(func() {
			for ctx.Err() == nil {
				_, err := commands.Desk{Store: s.store, Now: s.now}.RegisterPatient(ctx, commands.RegisterPatient{Tenant: tenant, Name: "Ann"})
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	for range 3 {
		s.drain(t)
		s.exec(t, `DELETE FROM patients WHERE ctid = (SELECT min(ctid) FROM patients)`)
		rebuild := s.rebuild()
		rebuild.Switch = true
		result := run(t, rebuild)
		if !result.Switched || len(result.Differences) != 1 || result.Differences[0].Missing != 1 || result.Differences[0].Strange != 0 {
			t.Errorf("mended %+v", result)
		}
		wantSame(t, run(t, s.rebuild()))
	}
	stop()
	writers.Wait()
	wantSame(t, run(t, s.rebuild()))
}

func TestAStoppedRebuildGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.live(t, 900)
	s.follow(t)
	s.exec(t, `DELETE FROM patients`)
	ctx, stop := context.WithCancel(t.Context())
	stopped := s.rebuild()
	stopped.Progress = func(done, _ int64) {
		if done >= 100 {
			stop()
		}
	}
	if _, err := stopped.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped by %v", err)
	}
	again, first := s.rebuild(), int64(0)
	again.Progress = func(done, _ int64) {
		if first == 0 {
			first = done
		}
	}
	if result := run(t, again); len(result.Differences) != 1 || first < 150 {
		t.Errorf("went on at %d and found %+v", first, result.Differences)
	}
	afresh, first2 := s.rebuild(), int64(0)
	afresh.Fresh, afresh.Switch = true, true
	afresh.Progress = func(done, _ int64) {
		if first2 == 0 {
			first2 = done
		}
	}
	if result := run(t, afresh); !result.Switched || first2 != 50 {
		t.Errorf("began at %d: %+v", first2, result)
	}
}

func wantEqual[T any](t *testing.T, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
