// Command measure prints how large the house is and how it is cut: files,
// headers, functions, packages, exported names. Run it as `make measure`, or
// as `make measure SINCE=<commit>` to see that commit beside the files of today.
//
// It reads production Go files: what ends in .go, without tests, generated
// files, testdata and folders whose name begins with a dot. Packages that only
// tests import, such as eventtest, are code that somebody maintains: they count.
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
)

const usage = `Measure prints the size and shape of the production Go files below this folder.

  go run ./.ci/measure                    the files as they are now
  go run ./.ci/measure --since <commit>   the files of that commit beside them

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
		before, err := committed(ctx, since)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column{since, before.rows()})
	}
	now, err := below(".")
	if err != nil {
		return nil, err
	}
	return append(columns, column{"now", now.rows()}), nil
}

// table writes a line for each figure and a column for each state.
func table(columns []column) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-34s", "")
	for _, c := range columns {
		fmt.Fprintf(&b, "  %12.12s", c.name)
	}
	b.WriteByte('\n')
	for i, first := range columns[0].rows {
		fmt.Fprintf(&b, "%-34s", first.name)
		for _, c := range columns {
			fmt.Fprintf(&b, "  %12s", c.rows[i].value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
