//go:build prove

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/embedded"
)

// cores are the cores of the service with its Postgres, of the attackers and of the honest
// callers, as lists for taskset. On a machine with fewer than four cores, or without taskset,
// they are "" and all share.
type cores struct{ all, service, attackers, callers string }

func shareCores(t *testing.T) cores {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	all := listed(string(status))
	_, err = exec.LookPath("taskset")
	if n := len(all); err == nil && n >= 4 {
		return cores{strings.Join(all, ","), strings.Join(all[:n-2], ","), all[n-2], all[n-1]}
	}
	t.Logf("all share the cores: %d cores, taskset: %v", len(all), err)
	return cores{}
}

// listed spells out the cores that a process may use, which the system writes as
// 0-2,5.
func listed(status string) (all []string) {
	_, after, _ := strings.Cut(status, "Cpus_allowed_list:")
	list, _, _ := strings.Cut(after, "\n")
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, _ := strconv.Atoi(first)
		to, _ := strconv.Atoi(last)
		for core := from; core <= to; core++ {
			all = append(all, strconv.Itoa(core))
		}
	}
	return all
}

// command is a program that runs on some of the cores.
func (c cores) command(on, program string, args ...string) *exec.Cmd {
	if on == "" {
		return exec.Command(program, args...)
	}
	return exec.Command("taskset", append([]string{"-c", on, program}, args...)...)
}

// settle moves Postgres to the service's cores, and this process, which calls
// honestly, to its own until t is over.
func (c cores) settle(t *testing.T, database *embedded.Server) {
	t.Helper()
	if c.all == "" {
		return
	}
	move(t, postmasterOf(t, database), c.service)
	move(t, strconv.Itoa(os.Getpid()), c.callers)
	t.Cleanup(func() { move(t, strconv.Itoa(os.Getpid()), c.all) })
}

// move lets all threads of a process run on some cores only.
func move(t *testing.T, pid, on string) {
	t.Helper()
	if output, err := exec.Command("taskset", "-a", "-c", "-p", on, pid).CombinedOutput(); err != nil {
		t.Fatalf("move %s to the cores %s: %v: %s", pid, on, err, output)
	}
}

func postmasterOf(t *testing.T, database *embedded.Server) (pid string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database.URL("postgres", embedded.Superuser))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var dir string
	if err := conn.QueryRow(t.Context(), "SHOW data_directory").Scan(&dir); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
	if err != nil {
		t.Fatal(fmt.Errorf("find Postgres: %w", err))
	}
	pid, _, _ = strings.Cut(string(file), "\n")
	return pid
}
