// Command bench reads the output of `go test -bench` and writes a table of it, in Markdown. It
// prints its input as it comes, then the table, and keeps the table in a file. With -since it runs
// benchmarks itself, alternating with those of another commit. Run it as `make bench`.
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
	"regexp"
	"runtime"
	"slices"
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
		packages, err := withBenchmarks(flags.Args(), *pattern)
		if err != nil {
			return err
		}
		c := comparison{commit: *since, pattern: *pattern, turns: *turns, packages: packages, out: out}
		table, failed := c.run(ctx)
		return errors.Join(failed, keep(context.WithoutCancel(ctx), *to, c.cpu, fmt.Sprintf("Medians of %d turns, now and at %s, quartiles in brackets.\n\n%s", *turns, *since, table), out))
	}
	found, err := read(io.TeeReader(in, out), runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	if len(found.results) == 0 {
		return errors.New("there is no benchmark in the output of go test")
	}
	return keep(ctx, *to, found.cpu, found.table()+found.peers(), out)
}

// keep prints tables below a heading that names the machine, and writes them to a file.
func keep(ctx context.Context, to, cpu, tables string, out io.Writer) error {
	version, err := postgresVersion(ctx)
	if err != nil {
		return err
	}
	text := heading(cpu, version, clock.System()) + tables
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s\nThis is also in %s.\n", text, to)
	return err
}

var benchmarkNamed = regexp.MustCompile(`(?m)^func (Benchmark\w+)\(`)

// withBenchmarks returns the packages with a benchmark that matches a pattern of go test. Its first
// part is for benchmarks, others for sub-benchmarks.
func withBenchmarks(packages []string, pattern string) (found []string, err error) {
	first, _, _ := strings.Cut(pattern, "/")
	wanted, err := regexp.Compile(first)
	if err != nil {
		return nil, fmt.Errorf("read the pattern of benchmarks: %w", err)
	}
	for _, name := range packages {
		files, _ := filepath.Glob(filepath.Join(name, "*_test.go"))
		if slices.ContainsFunc(files, func(file string) bool {
			source, _ := os.ReadFile(file)
			return slices.ContainsFunc(benchmarkNamed.FindAllSubmatch(source, -1), func(m [][]byte) bool { return wanted.Match(m[1]) })
		}) {
			found = append(found, name)
		}
	}
	return found, nil
}

// heading names the conditions of the figures.
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
