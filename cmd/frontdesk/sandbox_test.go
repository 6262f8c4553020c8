package main_test

import (
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/cmd/frontdesk/testworld"
)

func TestSandboxStopsAndStartsAgainWithItsData(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	first := *s.Info()
	if _, err := s.submit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("the sandbox exited with %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "sandbox.json")); !os.IsNotExist(err) {
		t.Errorf("sandbox.json outlived its sandbox: %v", err)
	}
	if pid := s.postmaster(); pid != 0 {
		t.Errorf("Postgres %d outlived its sandbox", pid)
	}
	s.Start()
	if again := *s.Info(); again.Application.ID != first.Application.ID || again.Patients[0] != first.Patients[0] {
		t.Error("the second start was seeded again")
	}
	if _, err := s.submit(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestTheSandboxOutlivesItsPostgres(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
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

func TestSandboxAdoptsPostgresOfAKilledOne(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	before := s.postmaster()
	s.Kill()
	s.Start()
	if after := s.postmaster(); after != before {
		t.Errorf("Postgres %d was not adopted: %d runs", before, after)
	}
}

func TestTheSandboxBelongsToAPlainRole_D51(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	conn, err := pgx.Connect(t.Context(), s.Info().AdminDatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var owns, super bool
	if err := conn.QueryRow(t.Context(), `
		SELECT pg_get_userbyid(datdba) = current_user AND (SELECT tableowner FROM pg_tables WHERE tablename = 'events') = current_user, rolsuper
		FROM pg_database, pg_roles WHERE datname = current_database() AND rolname = current_user`).Scan(&owns, &super); err != nil {
		t.Fatal(err)
	}
	if err := postgres.CheckOwner(t.Context(), conn); !owns || super || err != nil {
		t.Errorf("the role of the sandbox's file owns everything: %v, superuser: %v; %v", owns, super, err)
	}
	if differences, err := postgres.SchemaDifferences(t.Context(), conn); err != nil || len(differences) != 0 {
		t.Errorf("the schema differs from the service's: %v, %v", differences, err)
	}
}

// Exported settings for other databases do not redirect the sandbox from its own.
func TestASandboxKnowsNoOtherDatabase_D57(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Env = []string{"FRONTDESK_DATABASE_URL=postgres://nowhere/", "PGSERVICE=nowhere", "PGTARGETSESSIONATTRS=standby", "PGOPTIONS=-c default_transaction_read_only=on"}
	s.Start()
	if _, err := s.submit(t.Context()); err != nil {
		t.Error(err)
	}
	trigger := exec.CommandContext(t.Context(), testworld.Binary(s.t), "webhook", "trigger", "record.opened", "--dir", s.Dir)
	trigger.Env = append(os.Environ(), s.Env...)
	if says, err := trigger.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, says)
	}
}

// postmaster is the process of the sandbox's Postgres; 0 if it is not running.
func (s *program) postmaster() int {
	file, err := os.ReadFile(filepath.Join(s.Dir, "postgres", "postmaster.pid"))
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

// A second sandbox in a directory reports which one runs there, and does not change it.
func TestASecondSandboxLeavesTheFirstAlone_D57(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	files := s.files()
	for _, more := range []string{"--listen=127.0.0.1:0", "--fresh"} {
		second := exec.CommandContext(t.Context(), testworld.Binary(s.t), "sandbox", "--dir", s.Dir, "--private-listen=127.0.0.1:0", more)
		says, err := second.CombinedOutput()
		if second.ProcessState.ExitCode() != 1 || strings.Count(string(says), "\n") != 1 {
			t.Errorf("exit status %d, %v: %s", second.ProcessState.ExitCode(), err, says)
		}
		for _, text := range []string{s.Dir, s.Info().APIURL, strconv.Itoa(s.PID()), "--dir"} {
			if !strings.Contains(string(says), text) {
				t.Errorf("it does not say %q: %s", text, says)
			}
		}
	}
	if now := s.files(); !maps.Equal(now, files) {
		t.Errorf("the files were\n%v\nand are\n%v", files, now)
	}
	if _, err := s.submit(t.Context()); err != nil {
		t.Error(err)
	}
}

// files are the sandbox's own files and their content.
func (s *program) files() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	for _, name := range []string{"sandbox.json", "seed.json", "application-key.pem", "master.key", "webhooks.jsonl"} {
		content, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			s.t.Error(err)
		}
		found[name] = string(content)
	}
	return found
}

// The address of a sandbox's metrics may vary: its file and its greeting contain it.
func TestASandboxTakesAnotherPortForMetrics_D57(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := newSandbox(t)
	if s.Greeting, err = os.Create(filepath.Join(t.TempDir(), "greeting")); err != nil {
		t.Fatal(err)
	}
	defer s.Greeting.Close()
	s.Private = taken.Addr().String()
	s.Start()
	said, err := os.ReadFile(s.Greeting.Name())
	if url := s.Info().PrivateURL; err != nil || strings.HasSuffix(url, s.Private) || !strings.Contains(string(said), url+"/metrics") {
		t.Errorf("with %s taken, metrics are served at %s; it greets with\n%s", s.Private, url, said)
	}
}

func TestAStrictSandboxRefusesUnknownFields_D93(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Flags = []string{"--strict"}
	s.Start()
	response, err := s.send(t.Context(), `,"isHighPrioritiy":true`)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "no field isHighPrioritiy") {
		t.Errorf("answered %d %s, %v", response.StatusCode, text, err)
	}
	if _, err := s.submit(t.Context()); err != nil {
		t.Errorf("known fields alone: %v", err)
	}
}
