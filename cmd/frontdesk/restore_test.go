package main_test

import (
	"context"
	"encoding/base64"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/docs"
)

// TestRestoreByTheLetter runs the lines of docs/operations.md as they stand there. Only
// the hosts are others. The old cluster's owner is no superuser, and neither is the new
// one's.
func TestRestoreByTheLetter(t *testing.T) {
	t.Parallel()
	before, after := startCluster(t), startCluster(t)
	s := &restore{t: t}
	s.execute(before.URL("postgres", embedded.Superuser), `CREATE ROLE owner LOGIN CREATEROLE`)
	s.execute(before.URL("postgres", embedded.Superuser), `CREATE DATABASE frontdesk OWNER owner`)
	s.must(postgres.CreateRoles(t.Context(), before.URL("frontdesk", "owner")))
	_, err := postgres.Migrate(t.Context(), before.URL("frontdesk", "owner"))
	s.must(err)
	s.register(before, "elm-street")
	was := s.logged(before)

	s.run(documentedLines(t, "Back up")+documentedLines(t, "Restore"), map[string]*embedded.Server{"db": before, "new-db": after})

	if is := s.logged(after); was == 0 || is != was {
		t.Errorf("%d events are in the log, want %d", is, was)
	}
	if owners := s.ask(after, `SELECT string_agg(DISTINCT tableowner, ', ') FROM pg_tables WHERE schemaname = 'public'`); owners != "owner" {
		t.Errorf("the tables belong to %s", owners)
	}
	if who := s.ask(after, `SELECT string_agg(rolname, ', ') FROM pg_roles WHERE rolsuper`); who != embedded.Superuser {
		t.Errorf("superusers: %s", who)
	}
	s.serves(after)
	s.register(after, "oak-lane")
	if is := s.logged(after); is != was+2 {
		t.Errorf("after another practice, %d events are in the log, want %d", is, was+2)
	}
	// The next release can be migrated to.
	_, err = postgres.Migrate(t.Context(), after.URL("frontdesk", "owner"))
	s.must(err)
}

func startCluster(t *testing.T) *embedded.Server {
	t.Helper()
	cluster, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return cluster
}

// documentedLines are the lines of all blocks below a heading of the operators' page.
func documentedLines(t *testing.T, below string) string {
	t.Helper()
	return strings.Join(docs.OperatorsBlocks(t, "operations.md", below), "")
}

type restore struct{ t *testing.T }

func (s *restore) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// run types lines into a shell in an empty directory.
func (s *restore) run(lines string, hosts map[string]*embedded.Server) {
	s.t.Helper()
	key := filepath.Join(s.t.TempDir(), "master.key")
	writeFile(s.t, key, base64.StdEncoding.EncodeToString(theMasterKey[:]))
	lines = strings.ReplaceAll(lines, "/etc/frontdesk/master.key", key)
	for host, cluster := range hosts {
		at, err := url.Parse(cluster.URL("frontdesk", "owner"))
		s.must(err)
		lines = strings.ReplaceAll(lines, "postgres://owner@"+host+"/frontdesk", "'"+at.String()+"'")
		lines = strings.ReplaceAll(lines, "PGHOST="+host+" ", "PGHOST="+at.Query().Get("host")+" ")
	}
	shell := exec.CommandContext(s.t.Context(), "bash", "-euxc", lines)
	shell.Dir = s.t.TempDir()
	shell.Env = append(os.Environ(), "PATH="+filepath.Dir(binary(s.t))+":"+os.Getenv("PATH"))
	if said, err := shell.CombinedOutput(); err != nil {
		s.t.Fatalf("%v:\n%s", err, said)
	}
}

func (s *restore) open(cluster *embedded.Server) *app.App {
	s.t.Helper()
	service, err := app.New(s.t.Context(), app.Config{
		DatabaseURL: cluster.URL("frontdesk", postgres.AppRole), Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0",
		APIDomain: "frontdesk.test", MasterKey: theMasterKey, AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	s.must(err)
	return service
}

// register has a practice with a patient.
func (s *restore) register(cluster *embedded.Server, tenant string) {
	s.t.Helper()
	service, ctx := s.open(cluster), s.t.Context()
	defer service.Close()
	s.must(service.Desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: "A practice"}))
	_, err := service.Desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: tenant, Name: "Ann Archer"})
	s.must(err)
	s.must(service.Drain(ctx))
}

// logged is how many events of practices the log holds. Its reader refuses gaps.
func (s *restore) logged(cluster *embedded.Server) (events int) {
	s.t.Helper()
	service := s.open(cluster)
	defer service.Close()
	for e, err := range service.Log.After(s.t.Context(), 0) {
		s.must(err)
		if e.Stream.Tenant != "" {
			events++
		}
	}
	return events
}

// serves runs the program until it is ready.
func (s *restore) serves(cluster *embedded.Server) {
	s.t.Helper()
	service := s.open(cluster)
	ctx, stop := context.WithCancel(s.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	waitFor(s.t, func() bool { return answers200(service.PrivateURL() + "/readyz") })
	stop()
	s.must(<-ended)
}

func (s *restore) execute(url, sql string) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), url)
	s.must(err)
	defer func() { _ = conn.Close(s.t.Context()) }()
	_, err = conn.Exec(s.t.Context(), sql)
	s.must(err)
}

func (s *restore) ask(cluster *embedded.Server, sql string) (answer string) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), cluster.URL("frontdesk", embedded.Superuser))
	s.must(err)
	defer func() { _ = conn.Close(s.t.Context()) }()
	s.must(conn.QueryRow(s.t.Context(), sql).Scan(&answer))
	return answer
}
