//go:build prove

package main_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/migrations"
)

var (
	rollingRestarts = provetest.Pick(2, 8)
	leastCalls      = provetest.Pick(600, 3000)
)

const (
	proxyClients = 12
	proxyUploads = 4 // of the clients send files, slowly
)

// TestProveThatRollingRestartsFailNoCall_D47 restarts two processes one after the
// other, eight times or twice in a night, while calls and uploads go to them through HAProxy. Every call
// is answered 200, and each is in the log once.
func TestProveThatRollingRestartsFailNoCall_D47(t *testing.T) { //nolint:paralleltest // it takes the machine
	s := newDeployment(t, startHAProxy)
	s.compare(s.restartInTurn())
}

// TestProveThatNginxCutsOffFewCalls_D113 does the same behind nginx, which detects a stop by
// a refused connection. A connection that it has made just before may be cut off, and nothing
// else may fail.
func TestProveThatNginxCutsOffFewCalls_D113(t *testing.T) { //nolint:paralleltest // it takes the machine
	s := newDeployment(t, startNginx)
	calls := s.restartInTurn()
	for _, failure := range calls.failures {
		if !strings.HasPrefix(failure.Error(), "answered 502 ") {
			t.Errorf("a call failed with %v", failure)
		}
	}
	stored, cut := s.stored(), len(calls.failures)
	if stored < calls.ok || stored > calls.ok+cut || cut*100 > calls.ok {
		t.Errorf("%d calls were answered, %d were cut off, and %d are stored", calls.ok, cut, stored)
	}
	t.Logf("%d calls were answered, %d were cut off", calls.ok, cut)
}

func (s *deployment) restartInTurn() *traffic {
	s.t.Helper()
	calls := s.callAllAlong()
	for range rollingRestarts {
		for _, r := range []*replica{s.first, s.second} {
			r.stop()
			r.start(testworld.Binary(s.t))
		}
	}
	waitFor(s.t, func() bool { return calls.answered() >= leastCalls })
	calls.end()
	provetest.Tried(s.t, 2*rollingRestarts, "restarts")
	provetest.Tried(s.t, calls.ok, "calls answered")
	return calls
}

// TestProveUpgradeAndRollbackFailNoCall_D47_D178 lets a next release migrate the database while the present one serves,
// and then replace it. Then the present one replaces the next again, on the newer schema.
func TestProveUpgradeAndRollbackFailNoCall_D47_D178(t *testing.T) { //nolint:paralleltest // it takes the machine
	s, next := newDeployment(t, startHAProxy), nextRelease(t)
	calls := s.callAllAlong()
	waitFor(t, func() bool { return calls.answered() >= 200 })
	calls.slowest() // from here on
	migrate := exec.CommandContext(t.Context(), next, "migrate", "--database-url", s.db.AdminURL)
	if said, err := migrate.CombinedOutput(); err != nil {
		t.Fatalf("migrate: %v: %s", err, said)
	}
	during := calls.slowest()
	for _, release := range []string{next, testworld.Binary(t)} {
		for _, r := range []*replica{s.first, s.second} {
			if !testworld.Answers("http://" + r.place.private + "/readyz") {
				t.Errorf("a process is not ready before %s replaces it", release)
			}
			r.stop()
			r.start(release)
		}
		before := calls.answered()
		waitFor(t, func() bool { return calls.answered() >= before+200 })
	}
	calls.end()
	s.compare(calls)
	if during > queuedCall {
		t.Errorf("a call took %s while the database was migrated: it waited behind the migrator", during)
	}
	provetest.Tried(t, 2, "upgrades")
	provetest.Tried(t, 2, "rollbacks")
	provetest.Tried(t, calls.ok, "calls answered")
	t.Logf("the slowest small call took %s while the database was migrated", during)
}

// queuedCall is longer than any call that does not wait for another.
const queuedCall = 2 * time.Second

// nextRelease is this program with one more migration and the schema that it makes. The
// migration changes a table of every append and one of every call.
func nextRelease(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	migration, shape, overlay, path := filepath.Join(dir, "next.sql"), filepath.Join(dir, "shape.txt"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "frontdesk")
	writeFile(t, migration, "-- +goose Up\nALTER TABLE events ADD COLUMN next text;\nALTER TABLE practices ADD COLUMN next text;\n"+
		"UPDATE schema_support SET oldest_program = 1;\n")
	_, rest, found := strings.Cut(migrations.Shape, "column\tdeliveries.reason\t")
	if !found {
		t.Fatal("deliveries have no reason: name another column that is a text and may be NULL")
	}
	digest, _, _ := strings.Cut(rest, "\n")
	writeFile(t, shape, migrations.Shape+"column\tevents.next\t"+digest+"\ncolumn\tpractices.next\t"+digest+"\n")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(root, "migrations", "9000_next.sql"): migration, filepath.Join(root, "migrations", "shape.txt"): shape,
	}})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, overlay, string(replace))
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", path, ".")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v: %s", err, said)
	}
	return path
}

// deployment is two processes on one database, behind a proxy.
type deployment struct {
	t             *testing.T
	db            *postgrestest.Database
	first, second *replica
	proxy         proxy
	integrator    bearertest.Application
	patient       string
}

func newDeployment(t *testing.T, start func(t *testing.T, first, second place) proxy) *deployment {
	t.Helper()
	s := &deployment{t: t, db: postgrestest.New(t)}
	args := serveArgs(t, s.db.URL)
	s.first = &replica{t: t, place: freePlace(t), args: args}
	s.second = &replica{t: t, place: freePlace(t), args: args}
	t.Cleanup(func() { s.first.stop(); s.second.stop() })
	s.first.start(testworld.Binary(t))
	s.second.start(testworld.Binary(t))
	s.proxy = start(t, s.first.place, s.second.place)
	s.onboard()
	return s
}

// onboard makes a practice with a patient, and an application that may submit.
func (s *deployment) onboard() {
	s.t.Helper()
	engine, err := app.Open(s.t.Context(), app.Config{DatabaseURL: s.db.URL, AllowNetwork: loopback, MasterKeys: sealing.NewRing(theMasterKey)})
	if err != nil {
		s.t.Fatal(err)
	}
	defer engine.Close()
	s.integrator, s.patient = onboard(s.t, engine)
}

// stored is how many requests are in the log.
func (s *deployment) stored() (count int) {
	s.t.Helper()
	sql := `SELECT count(*) FROM events WHERE name = 'patient-request.submitted.v1'`
	if err := s.db.Pool(s.t).QueryRow(s.t.Context(), sql).Scan(&count); err != nil {
		s.t.Fatal(err)
	}
	return count
}

// compare compares the answers with the log.
func (s *deployment) compare(calls *traffic) {
	s.t.Helper()
	stored := s.stored()
	if n := len(calls.failures); n > 0 {
		s.t.Errorf("%d of %d calls failed, the first with: %v", n, n+calls.ok, calls.failures[0])
	}
	if stored != calls.ok {
		s.t.Errorf("%d calls were answered and %d are stored", calls.ok, stored)
	}
	s.t.Logf("%d calls were answered, %d failed", calls.ok, len(calls.failures))
}
