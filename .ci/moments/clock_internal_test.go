package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
)

// database is the argument with which this program prints the time of a Postgres of its own.
const database = "database"

// TestMain lets this program replace tests in go test, and be a program whose time is moved.
func TestMain(m *testing.M) {
	var err error
	switch {
	case len(os.Args) > 1 && os.Args[1] == begin:
		err = run(context.Background(), os.Args[1:], os.Stdout)
	case len(os.Args) > 1 && os.Args[1] == database:
		err = printDatabaseTime(context.Background())
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func printDatabaseTime(ctx context.Context) (err error) {
	dir, err := postgrestest.MakeDir()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	server, err := embedded.Start(ctx, embedded.Config{Dir: dir, Volatile: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(ctx)) }()
	conn, err := pgx.Connect(ctx, server.URL("postgres", embedded.Superuser))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var now string
	if err := conn.QueryRow(ctx, `SELECT to_char(now() AT TIME ZONE 'Pacific/Kiritimati', 'YYYY-MM-DD"T"HH24:MI')`).Scan(&now); err != nil {
		return err
	}
	// A timeout fires by a signal, in whose handler Postgres asks for the time.
	if _, err := conn.Exec(ctx, `SET statement_timeout = '10ms'`); err != nil {
		return err
	}
	var late *pgconn.PgError
	if _, err := conn.Exec(ctx, `SELECT pg_sleep(10)`); !errors.As(err, &late) || late.Code != "57014" {
		return fmt.Errorf("a statement that was too late: %w", cmp.Or(err, errors.New("it was answered")))
	}
	_, err = fmt.Print(now) //nolint:forbidigo // the test reads it
	return err
}

func TestMovedPrograms(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles Go's library")
	}
	dir := t.TempDir()
	list, err := overlay(dir)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "now")
	if said, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", list, "-o", program, "./testdata/now").CombinedOutput(); err != nil {
		t.Fatalf("build: %v: %s", err, said)
	}
	programs, err := postgrestest.MakeDir() // which the user who runs Postgres can read
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(programs) })
	if err := compile(t.Context(), programs); err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string][]string{
		"Go":       {program},
		"Postgres": {os.Args[0], database},
		"Python":   {"python3", "-c", "import datetime; print(datetime.datetime.now().isoformat())"},
		"Node.js":  {"node", "-p", "const now = new Date(); new Date(now - now.getTimezoneOffset() * 60000).toISOString()"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			moved := exec.CommandContext(t.Context(), os.Args[0], append([]string{begin, "2028-02-29T09:30:00Z", programs, "/usr/bin/env"}, command...)...)
			moved.Env = append(os.Environ(), "TZ=Pacific/Kiritimati")
			var trouble bytes.Buffer
			moved.Stderr = &trouble
			said, err := moved.Output()
			if err != nil {
				t.Fatalf("%v: %s%s", err, said, trouble.String())
			}
			at, err := time.Parse("2006-01-02T15:04", strings.TrimSpace(string(said))[:16])
			if want := time.Date(2028, 2, 29, 23, 29, 0, 0, time.UTC); err != nil || at.Before(want) || at.Sub(want) > 30*time.Minute {
				t.Errorf("the time is %s (%v), want %s in Kiritimati", said, err, want)
			}
		})
	}
}
