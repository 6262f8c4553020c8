//go:build prove

package main_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
)

// importPatients begins the real program on a file, for the first practice.
func (c *county) importPatients(file string) (command *exec.Cmd, said *bytes.Buffer) {
	c.t.Helper()
	said = &bytes.Buffer{}
	command = exec.CommandContext(context.WithoutCancel(c.t.Context()), testworld.Binary(c.t),
		"patient", "import", file, "--ids", file+".ids", "--tenant", "practice-0")
	command.Env = append(os.Environ(), "FRONTDESK_DATABASE_URL="+c.postgres.URL("frontdesk", postgres.AppRole),
		"FRONTDESK_MASTER_KEY="+hex.EncodeToString(theMasterKey[:]))
	command.Stdout, command.Stderr = said, said
	c.must(command.Start())
	return command, said
}

// patientsFile writes a file of patients with different names and birth dates.
func (c *county) patientsFile(name string, patients int) string {
	c.t.Helper()
	var text strings.Builder
	text.WriteString("reference,name,birth_date,telephone\n")
	for n := range patients {
		born := time.Date(1930, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n)
		fmt.Fprintf(&text, "%[1]s-%[2]d,%[1]s%[2]d Patient%[1]s%[2]d,%[3]s,01632 960%03[4]d\n", name, n, born.Format(time.DateOnly), n%1000)
	}
	file := filepath.Join(c.t.TempDir(), name+".csv")
	c.must(os.WriteFile(file, []byte(text.String()), 0o600))
	return file
}

// TestProveImportKilledGoesOn_D160 imports 15,000 patients in one run, and as many in runs that are
// killed. Each patient is registered once.
func TestProveImportKilledGoesOn_D160(t *testing.T) { //nolint:paralleltest // it takes the machine
	const patients = 15_000
	c := newCounty(t, 1)
	c.applied("one practice")
	begun := clock.Start()
	command, said := c.importPatients(c.patientsFile("whole", patients))
	if err := command.Wait(); err != nil || !strings.Contains(said.String(), fmt.Sprintf("registered %d patients; 0 were", patients)) {
		t.Fatalf("%v: %s", err, said)
	}
	used := command.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d patients in %s, with %s of CPU, at most %d MiB resident", patients, begun.Elapsed().Round(time.Millisecond),
		command.ProcessState.UserTime().Round(time.Millisecond), used.Maxrss>>10)
	whole, file, kills := begun.Elapsed(), c.patientsFile("killed", patients), 0
	for {
		command, said := c.importPatients(file)
		after := time.Duration(rand.Int64N(int64(whole)))
		if kills == 8 { // a run that finds everybody registered is not killed
			after = time.Hour
		}
		kill := time.AfterFunc(after, func() { _ = command.Process.Kill() })
		err := command.Wait()
		kill.Stop()
		if err == nil {
			break
		}
		if kills++; command.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("%v: %s", err, said)
		}
	}
	for sql, want := range map[string]int{
		`SELECT count(*) FROM events WHERE name = 'patient.registered.v1'`:          2 * patients,
		`SELECT count(*) FROM events WHERE name = 'patient.contact-details-set.v1'`: 2 * patients,
		`SELECT count(DISTINCT patient) FROM patients`:                              2 * patients,
	} {
		if got := c.count(sql); got != want {
			t.Errorf("%s: %d, want %d", sql, got, want)
		}
	}
	provetest.Tried(t, kills, "kills")
	provetest.Tried(t, 2*patients, "patients")
}
