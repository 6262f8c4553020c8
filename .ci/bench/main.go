// Command bench reads what `go test -bench` prints and writes a table of it, in
// Markdown. It prints what it reads as it comes, then the table, and keeps the table in
// a file. With -since it runs benchmarks itself, in turns with those of another commit. Run
// it as `make bench`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/embedded"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	to := flags.String("out", ".frontdesk/bench.md", "the `file` to keep the table in")
	since := flags.String("since", "", "run the benchmarks of the packages that follow in turns with those of this `commit`")
	pattern := flags.String("bench", ".", "with -since: which benchmarks, as a regular `expression`")
	turns := flags.Int("turns", 5, "with -since: how many turns")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *since != "" {
		return compare(ctx, *since, *pattern, *turns, flags.Args(), out)
	}
	found, err := read(io.TeeReader(in, out), runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	if len(found.results) == 0 {
		return errors.New("there is no benchmark in the output of go test")
	}
	version, err := postgresVersion(ctx)
	if err != nil {
		return err
	}
	text := heading(found.cpu, version, clock.System()) + found.table() + found.peers()
	if err := os.MkdirAll(filepath.Dir(*to), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(*to, []byte(text), 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s\nThis is in %s, too.\n", text, *to)
	return err
}

// heading names what the figures depend on.
func heading(cpu, version string, at time.Time) string {
	return fmt.Sprintf("%s, %d cores, %s/%s, %s, Postgres %s, %s\n\n", cpu, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		strings.Replace(runtime.Version(), "go", "Go ", 1), version, at.UTC().Format(time.DateOnly))
}

// postgresVersion asks a cluster like those of the benchmarks.
func postgresVersion(ctx context.Context) (version string, err error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o711); err != nil { // for root, another user runs Postgres
		return "", err
	}
	defer func() { err = errors.Join(err, embedded.Remove(context.WithoutCancel(ctx), dir), os.RemoveAll(dir)) }()
	server, err := embedded.Start(ctx, embedded.Config{Dir: dir, Volatile: true})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	conn, err := pgx.Connect(ctx, server.URL("postgres", embedded.Superuser))
	if err != nil {
		return "", fmt.Errorf("ask Postgres for its version: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	err = conn.QueryRow(ctx, `SELECT split_part(current_setting('server_version'), ' ', 1)`).Scan(&version)
	return version, err
}
