package app_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
)

// away are temporary states of a database: how each begins, and how it ends. %s is the
// database's name.
var away = map[string]struct {
	begin, end string
	cut        bool   // it holds for new connections only, so the old ones are cut off
	ready      int    // how /readyz answers from the third time on
	says       string // in /readyz
}{
	"read-only": {
		`ALTER ROLE frontdesk_app IN DATABASE %s SET default_transaction_read_only = on`,
		`ALTER ROLE frontdesk_app IN DATABASE %s RESET default_transaction_read_only`,
		true, http.StatusServiceUnavailable, "the database is read-only: it is a standby",
	},
	"out of connections": {
		`ALTER DATABASE %s CONNECTION LIMIT 0`, `ALTER DATABASE %s CONNECTION LIMIT -1`,
		true, http.StatusServiceUnavailable, "the database is out of connections",
	},
	"full": {
		`CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END $$;
		CREATE TRIGGER full_disk BEFORE INSERT ON events EXECUTE FUNCTION %[1]s()`,
		`DROP FUNCTION %s CASCADE`,
		false, http.StatusOK, "ready",
	},
}

func TestPassingStatesAreAnsweredByContract_D48(t *testing.T) {
	t.Parallel()
	for name, state := range away {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newStates(t)
			d.submitted(t, http.StatusOK)
			d.as(t, state.begin, state.cut)
			d.submitted(t, http.StatusServiceUnavailable)
			var got []int
			for n := range 4 {
				status, said := d.asked(t)
				if got = append(got, status); state.cut && n == 0 && !strings.HasPrefix(said, "ready, though a check has failed: ") {
					t.Errorf("the first answer is %q", said)
				}
			}
			if want := []int{http.StatusOK, http.StatusOK, state.ready, state.ready}; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("/readyz answers %v, want %v", got, want)
			}
			clocktest.Eventually(t, func() bool { // once the broken connections are used up
				_, said := d.asked(t)
				return strings.Contains(said, state.says)
			}, "state at /readyz")
			d.as(t, state.end, state.cut)
			clocktest.Eventually(t, func() bool { return d.readyz(t) == http.StatusOK }, "readiness")
			clocktest.Eventually(t, func() bool { return d.submit(t).StatusCode == http.StatusOK }, "service")
			if stored := d.stored(t); stored != 2 {
				t.Errorf("two requests were answered 200, and %d are stored", stored)
			}
		})
	}
}

// A schema of another program is not temporary. A newer one that serves this program is no fault.
func TestAWrongSchemaIsNotReadyAtOnce_D48_D178(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statement string
		want      int
	}{
		"older":                {`DELETE FROM goose_db_version WHERE version_id > 0`, http.StatusServiceUnavailable},
		"newer":                {`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`, http.StatusOK},
		"newer, too different": {`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true); UPDATE schema_support SET oldest_program = 9999`, http.StatusServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newStates(t)
			_, err := d.DB.AdminPool(t).Exec(t.Context(), c.statement)
			must(t, err)
			if status := d.readyz(t); status != c.want {
				t.Errorf("/readyz answers %d, want %d", status, c.want)
			}
		})
	}
}

// A sequence that gives out positions which the log has passed is not temporary.
func TestFaultySequenceIsNotReadyAndDoesNotStart_D52(t *testing.T) {
	t.Parallel()
	d := newStates(t)
	owner := d.DB.AdminPool(t)
	_, err := owner.Exec(t.Context(), `ALTER SEQUENCE events_position_seq CACHE 20`)
	must(t, err)
	if status := d.readyz(t); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz answers %d", status)
	}
	_, err = app.New(t.Context(), app.Config{DatabaseURL: d.DB.URL, Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0", APIDomain: "frontdesk.test", MasterKeys: sealing.NewRing(sealing.MasterKey{1})})
	if err == nil || !strings.Contains(err.Error(), "is cached: as the owner, SELECT mend_sequence()") {
		t.Errorf("it starts: %v", err)
	}
	_, err = owner.Exec(t.Context(), `SELECT mend_sequence()`)
	must(t, err)
	if status := d.readyz(t); status != http.StatusOK {
		t.Errorf("after the fix, /readyz answers %d", status)
	}
}

// states is a program whose database goes through states.
type states struct {
	*desk
	patient string
}

func newStates(t *testing.T) *states {
	t.Helper()
	d := replica(t, postgrestest.New(t))
	s := &states{desk: d}
	d.integrator, s.patient = onboard(t, d.App())
	return s
}

// as brings a state about, behind the program's back.
func (s *states) as(t *testing.T, sql string, cut bool) {
	t.Helper()
	admin := s.DB.SuperuserPool(t)
	var name string
	must(t, admin.QueryRow(t.Context(), `SELECT current_database()::text`).Scan(&name))
	_, err := admin.Exec(t.Context(), fmt.Sprintf(sql, name))
	must(t, err)
	if !cut {
		return
	}
	_, err = admin.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = 'frontdesk_app'`, name)
	must(t, err)
}

// submit sends a patient request.
func (s *states) submit(t *testing.T) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/transactional-api/create-patient-request", strings.NewReader(requestBody(s.patient)))
	must(t, err)
	request.Header.Set("Authorization", "Bearer "+s.integrator.Token(s.Desk.Now()))
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// submitted fails unless a request is answered with a status, in the contract's form.
func (s *states) submitted(t *testing.T, want int) {
	t.Helper()
	response := s.submit(t)
	body, err := io.ReadAll(response.Body)
	must(t, err)
	if response.StatusCode != want {
		t.Fatalf("answered %d %s, want %d", response.StatusCode, body, want)
	}
	const unavailable = `{"errors":[{"code":"unavailable","description":"The service cannot reach its database. Try again shortly."}]}` + "\n"
	if want == http.StatusServiceUnavailable && (response.Header.Get("Retry-After") == "" || string(body) != unavailable) {
		t.Errorf("answered %s, Retry-After %q", body, response.Header.Get("Retry-After"))
	}
}

func (s *states) stored(t *testing.T) (n int) {
	t.Helper()
	err := s.DB.AdminPool(t).QueryRow(t.Context(), `SELECT count(*) FROM events WHERE name = 'patient-request.submitted.v1'`).Scan(&n)
	must(t, err)
	return n
}

func (s *states) readyz(t *testing.T) int {
	t.Helper()
	status, _ := s.asked(t)
	return status
}

// asked is the answer of /readyz.
func (s *states) asked(t *testing.T) (status int, said string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.PrivateURL()+"/readyz", nil)
	must(t, err)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return response.StatusCode, string(text)
}
