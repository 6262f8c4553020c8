// Command mutate changes the program in one place at a time and reports whether a test notices.
// Each such change is a mutant: a condition negated, an error that is not returned, a predicate of
// a query without effect, and so on (see operators.go and sql.go). A mutant that no test notices is
// a rule that no test asserts, or a change that makes no difference. The report is part of `make
// nightly`, as the proof TestProveMutantsAreNoticed.
//
// A test that reads source files sees the original ones.
//
// It draws a sample by a seed, so that a package takes minutes, and never changes the working tree:
// the compiler reads the mutated file in place of the original one. Run it as `make mutate ARGS='-n
// 20 -seed 7 ./commands'`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

const usage = `Mutate draws mutants of packages and reports which of them the tests notice.

  go run ./.ci/mutate [options] PACKAGE…

A package's own tests come first, then those of -also and of the packages that import it.
Options:
`

// config is the settings of a run.
type config struct {
	patterns   []string // of the packages to mutate
	count      int      // of mutants to judge
	seed       uint64
	also       []string // packages whose tests judge survivors
	dependents int      // how many importing packages judge survivors
	kinds      []string // of mutants; empty for all
	file       string   // for the results as tab-separated values; "" for none
	list       bool     // list the possible mutants, without running tests
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	c, err := parse(args, out)
	if err != nil {
		return err
	}
	_, err = c.mutate(ctx, out)
	return err
}

// mutate judges a sample, and prints and returns the results of the tests.
func (c config) mutate(ctx context.Context, out io.Writer) ([]result, error) {
	packages, err := load(ctx, c.patterns)
	if err != nil {
		return nil, err
	}
	all, err := places(ctx, packages, c.kinds)
	if err != nil {
		return nil, err
	}
	if c.list {
		return nil, listPlaces(out, all)
	}
	j, err := newJudge(ctx, c, packages)
	if err != nil {
		return nil, err
	}
	results, err := j.sample(ctx, draw(all, c.seed), out)
	return results, errors.Join(err, report(out, c, results)) // also the results of a stopped run
}

func parse(args []string, out io.Writer) (c config, err error) {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		_, _ = fmt.Fprint(out, usage)
		flags.PrintDefaults()
	}
	flags.IntVar(&c.count, "n", 20, "how many mutants to judge")
	flags.Uint64Var(&c.seed, "seed", 1, "what the sample is drawn by")
	flags.IntVar(&c.dependents, "dependents", 2, "how many importing packages judge what a package's own tests do not notice")
	flags.StringVar(&c.file, "out", "", "also write the results to this `file`, as tab-separated values")
	flags.BoolVar(&c.list, "list", false, "count what could be drawn, and run nothing")
	also := flags.String("also", "", "`packages`, separated by commas, whose tests judge after a package's own")
	kinds := flags.String("kinds", "", "the `kinds` to draw, separated by commas (default all)")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	c.patterns, c.also, c.kinds = flags.Args(), fields(*also), fields(*kinds)
	if len(c.patterns) == 0 {
		return c, errors.New("name a package, as ./commands")
	}
	return c, nil
}

func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}
