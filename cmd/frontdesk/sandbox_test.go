package main_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestTheSandboxStopsInOrderAndStartsAgainWithItsData(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	first := *s.info.Load()
	if _, err := s.submit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.stop(); err != nil {
		t.Errorf("the sandbox exited with %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "sandbox.json")); !os.IsNotExist(err) {
		t.Errorf("sandbox.json outlived its sandbox: %v", err)
	}
	if pid := s.postmaster(); pid != 0 {
		t.Errorf("Postgres %d outlived its sandbox", pid)
	}
	s.start()
	if again := *s.info.Load(); again.Application.ID != first.Application.ID || again.Patients[0] != first.Patients[0] {
		t.Error("the second start was seeded anew")
	}
	if _, err := s.submit(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestTheSandboxOutlivesItsPostgres(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	dead := s.postmaster()
	if err := syscall.Kill(dead, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		_, err := s.submit(t.Context())
		if err != nil && !strings.Contains(err.Error(), "503") {
			t.Errorf("while Postgres was away: %v", err)
		}
		return err == nil && s.postmaster() != dead
	})
}

func TestASandboxThatWasKilledLeavesAPostgresToBeAdopted(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.start()
	before := s.postmaster()
	s.kill()
	s.start()
	if after := s.postmaster(); after != before {
		t.Errorf("Postgres %d was not adopted: %d runs", before, after)
	}
}

// postmaster is the process of the sandbox's Postgres; 0 when none runs.
func (s *program) postmaster() int {
	file, err := os.ReadFile(filepath.Join(s.dir, "postgres", "postmaster.pid"))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(file), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil || syscall.Kill(pid, 0) != nil {
		return 0
	}
	return pid
}
