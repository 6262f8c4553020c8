// Command measure prints the project's size, structure and language: files, headers, functions,
// packages, exported names, comments, names of tests, files for each event. Run it as `make
// measure`, or as `make measure SINCE=<commit>` to compare that commit with the files of today.
//
// It reads production Go files of the product and its tools: tests are only counted; generated
// files, test data, clients, benchmarks and examples are left out. Packages that only tests import,
// such as eventtest, are maintained like the others: they count.
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

	"frontdesk/.ci/tree"
)

const usage = `Measure prints the size and shape of the production Go files below this folder.

  go run ./.ci/measure                    the files as they are now
  go run ./.ci/measure --since <commit>   those of that commit as well

Options:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		_, _ = fmt.Fprint(out, usage)
		flags.PrintDefaults()
	}
	since := flags.String("since", "", "also measure this `commit`, to compare with")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is not an option: run it in the folder to measure, and name a commit with --since", flags.Arg(0))
	}
	columns, err := measure(ctx, *since)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, table(columns))
	return err
}

// A column is one measured state of the files.
type column struct {
	name string
	rows []row
}

func measure(ctx context.Context, since string) ([]column, error) {
	var columns []column
	if since != "" {
		commit, err := tree.At(ctx, ".", since)
		if err != nil {
			return nil, err
		}
		before, err := survey(commit)
		if err != nil {
			return nil, fmt.Errorf("commit %s: %w", since, err)
		}
		columns = append(columns, column{since, before.rows()})
	}
	now, err := survey(os.DirFS("."))
	if err != nil {
		return nil, err
	}
	return append(columns, column{"now", now.rows()}), nil
}

// table writes a line for each figure and a column for each state.
func table(columns []column) string {
	var b strings.Builder
	cells := func(name string, value func(column) string) {
		fmt.Fprintf(&b, "%-34s", name)
		for _, c := range columns {
			fmt.Fprintf(&b, "  %*s", c.width(), value(c))
		}
		b.WriteByte('\n')
	}
	cells("", column.title)
	for i, first := range columns[0].rows {
		cells(first.name, func(c column) string { return c.rows[i].value })
	}
	return b.String()
}

func (c column) title() string { return fmt.Sprintf("%.12s", c.name) }

func (c column) width() int {
	width := 12
	for _, r := range c.rows {
		width = max(width, len(r.value))
	}
	return width
}
