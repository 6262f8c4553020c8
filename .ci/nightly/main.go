// Command nightly runs the proofs: the tests named TestProve… and the fuzz targets. Those that have
// not run for the longest time come first. After each of them it writes docs/contribute/nightly.md, so it may
// be stopped at any moment and continues from there: it does not repeat a proof that has passed
// with the present files.
//
// `make nightly` runs them with small counts, for as long as BUDGET allows; `make prove` with large
// ones.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"
	"time"

	"frontdesk/.ci/proofs"
	"frontdesk/adapters/clock"
)

const usage = `Nightly runs proofs and writes their counts and results to docs/contribute/nightly.md.

Options:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "nightly:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("nightly", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		_, _ = fmt.Fprint(out, usage)
		flags.PrintDefaults()
	}
	budget := flags.Duration("budget", 0, "start no proof that would end after this `time`; 0 is no limit")
	release := flags.Bool("long", false, "try as much as for a release")
	only := flags.String("run", "", "run the proofs that match this `expression`, also if they have passed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("read the expression: %w", err)
	}
	n := &night{root: ".", out: out, long: *release, budget: *budget, watch: clock.Start(), built: map[string]built{}}
	if n.rows, err = proofs.Read(n.root); err != nil {
		return err
	}
	all, err := proofs.Find(os.DirFS(n.root))
	if err != nil {
		return err
	}
	n.rows = slices.DeleteFunc(n.rows, func(r proofs.Row) bool { return !slices.Contains(all, r.Proof) })
	due := slices.DeleteFunc(all, func(p proofs.Proof) bool { return !chosen.MatchString(p.Name) })
	if *only == "" {
		if due, err = n.due(ctx, due); err != nil {
			return err
		}
	}
	return n.run(ctx, due)
}

// night is one run of the command.
type night struct {
	root   string
	out    io.Writer
	long   bool
	budget time.Duration // 0 is no limit
	watch  clock.Stopwatch
	rows   []proofs.Row
	built  map[string]built // by folder
}

// due leaves out the proofs that have passed with the present files, and orders the others by
// when they ran last.
func (n *night) due(ctx context.Context, all []proofs.Proof) (due []proofs.Proof, err error) {
	current := map[string]bool{}
	for _, p := range all {
		row := n.row(p)
		if _, known := current[row.Commit]; !known && row.Commit != "" {
			if current[row.Commit], err = proofs.IsCurrent(ctx, n.root, row.Commit); err != nil {
				return nil, err
			}
		}
		if !current[row.Commit] || row.Doubt() != "" {
			due = append(due, p)
		}
	}
	slices.SortStableFunc(due, func(a, b proofs.Proof) int { return n.row(a).At.Compare(n.row(b).At) })
	return due, nil
}

// row returns the last row of a proof, or a zero one.
func (n *night) row(p proofs.Proof) proofs.Row {
	at := slices.IndexFunc(n.rows, func(r proofs.Row) bool { return r.Proof == p })
	if at < 0 {
		return proofs.Row{}
	}
	return n.rows[at]
}

// unknown is the estimated duration of a proof that never ran.
const unknown = 90 * time.Second

// fits reports whether a proof is expected to end within the budget.
func (n *night) fits(p proofs.Proof) bool {
	needs := unknown
	if row := n.row(p); !row.At.IsZero() {
		needs = time.Duration(row.Seconds) * time.Second
	}
	return n.budget == 0 || n.watch.Elapsed()+needs <= n.budget
}

// run runs proofs one after the other. A failure does not stop the rest.
func (n *night) run(ctx context.Context, due []proofs.Proof) error {
	var passed, failed, left int
	for i, p := range due {
		if !n.fits(p) {
			left++
			n.printf("%s is left for the next run", p.Name)
			continue
		}
		row, err := n.try(ctx, p)
		if ctx.Err() != nil {
			return fmt.Errorf("stopped before %s ended: %d proofs are left", p.Name, len(due)-i)
		}
		if err != nil {
			return err
		}
		if row.Doubt() == "" {
			passed++
		} else {
			failed++
		}
		n.rows = append(slices.DeleteFunc(n.rows, func(r proofs.Row) bool { return r.Proof == p }), row)
		if err := proofs.Write(n.root, n.rows); err != nil {
			return err
		}
		n.printf("[%d/%d] %s: %s (%s; %d s)", i+1, len(due), p.Name, row.Result, row.Tried, row.Seconds)
	}
	n.printf("%d passed, %d failed, %d left for the next run, in %s", passed, failed, left, n.watch.Elapsed().Round(time.Second))
	if failed > 0 {
		return fmt.Errorf("%d proofs failed", failed)
	}
	return nil
}

func (n *night) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(n.out, format+"\n", args...)
}
