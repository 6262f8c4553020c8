package main_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/testworld"
)

// A busy practice is in the middle of its day, has each state to look at, and stays busy when
// it is started again or reset.
func TestABusySandboxIsInTheMiddleOfItsDay(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	dir, err := postgrestest.MakeDir()
	testworld.Must(t, err)
	s.Dir, s.Flags = filepath.Join(dir, "busy"), []string{"--seed", "busy"}
	s.Start()
	const everything = `SELECT count(*) FROM inbox`
	waitFor(t, func() bool { return s.count(everything) == 355 })
	waitFor(t, func() bool { // the last working day alone has 82, and today's are few soon after midnight
		return s.count(`SELECT count(*) FROM appointments WHERE status = 'attended'`) > 80
	})
	for _, want := range []struct {
		what, query string
		least, most int
	}{
		{"patients", `SELECT count(*) FROM patients WHERE tenant = 'sandbox'`, 4000, 4100},
		{"staff", `SELECT count(*) FROM staff WHERE tenant = 'sandbox'`, 12, 12},
		{"new requests", `SELECT count(*) FROM inbox WHERE holder IS NULL AND done_at IS NULL`, 71, 71},
		{"types of new requests", `SELECT count(DISTINCT type) FROM inbox WHERE holder IS NULL`, 2, 2},
		{"urgent new requests", `SELECT count(*) FROM inbox WHERE holder IS NULL AND urgent`, 5, 20},
		{"new requests by carers", `SELECT count(*) FROM inbox WHERE holder IS NULL AND by_proxy`, 5, 20},
		{"new requests with files", `SELECT count(*) FROM inbox WHERE holder IS NULL AND files > 0`, 8, 20},
		{"new requests of other days", `SELECT count(*) FROM inbox WHERE holder IS NULL AND submitted_at < now() - interval '1 day'`, 10, 50},
		{"requests in progress", `SELECT count(*) FROM inbox WHERE holder IS NOT NULL AND done_at IS NULL`, 24, 24},
		{"done requests", `SELECT count(*) FROM inbox WHERE done_at IS NOT NULL`, 260, 260},
		{"sites", `SELECT count(*) FROM sites WHERE tenant = 'sandbox'`, 2, 2},
		{"days of 100 appointments", `SELECT count(*) FROM (SELECT (starts_at AT TIME ZONE 'Europe/London')::date FROM appointments GROUP BY 1 HAVING count(*) = 100) AS days`, 6, 8},
		{"sites where each state is there", `SELECT count(*) FROM (SELECT site FROM appointments WHERE starts_at BETWEEN now() - interval '12 hours' AND now() + interval '12 hours'
			GROUP BY site HAVING count(DISTINCT status) = 5 AND bool_or(status = 'booked' AND arrived_at IS NOT NULL)) AS sites`, 2, 2},
		{"events of the future", `SELECT count(*) FROM events WHERE recorded_at > now()`, 0, 0},
		{"events before an earlier one", `SELECT count(*) FROM (SELECT recorded_at, lag(recorded_at) OVER (PARTITION BY stream ORDER BY version) AS before FROM events) AS e WHERE recorded_at < before`, 0, 0},
	} {
		if got := s.count(want.query); got < want.least || got > want.most {
			t.Errorf("%d %s, want %d to %d", got, want.what, want.least, want.most)
		}
	}
	testworld.Must(t, s.Stop())
	s.Flags = nil
	s.Start()
	s.Run("sandbox", "reset", "--dir", s.Dir)
	waitFor(t, func() bool { return s.count(everything) == 355 })
	testworld.Must(t, s.Stop())
	output, err := testworld.Command(t, "sandbox", "--dir", s.Dir, "--seed", "quiet", "--listen", "127.0.0.1:0").CombinedOutput()
	if err == nil || !strings.Contains(string(output), "is a busy practice: begin a quiet one with --fresh") {
		t.Errorf("another seed: %v, %s", err, output)
	}
}

// count reads a number from the sandbox's database.
func (s *program) count(query string) (n int) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), s.Info().AdminDatabaseURL)
	testworld.Must(s.t, err)
	defer func() { _ = conn.Close(s.t.Context()) }()
	if err := conn.QueryRow(s.t.Context(), query).Scan(&n); err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	return n
}
