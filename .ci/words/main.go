// Command words counts the words that make text read as a translation: in each page and template,
// and in the comments and the texts of each Go package. It compares the counts with those in
// ratchet.tsv. `make lint` runs it and fails if a count has risen; a new page, template or package
// must have none.
//
// It also fails if a count has fallen and is not recorded: the next change could bring as many
// words back unseen. `make words` records lower counts. `make words ARGS=-force` also records
// higher ones, for a merge or a move: the diff of ratchet.tsv shows them.
//
// With -style it measures the pages and compares nothing: `make measure` prints that. With names,
// -style lists their sentences with a double negation.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"frontdesk/.ci/tree"
)

const usage = `Words finds words to replace in pages, templates and Go packages.

  go run ./.ci/words                  compare their counts with the recorded ones
  go run ./.ci/words <name>…          list them in these files and folders
  go run ./.ci/words -style           measure the pages
  go run ./.ci/words -style <name>…   list the sentences with a double negation

Options:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, ".", os.Args[1:], os.Stdout)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder string, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("words", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		_, _ = fmt.Fprint(out, usage)
		flags.PrintDefaults()
	}
	update := flags.Bool("update", false, "record the counts that have fallen")
	force := flags.Bool("force", false, "record all counts, also those that have risen: for merges and moves")
	style := flags.Bool("style", false, "measure the style of the pages: long and passive sentences, task headings, and the like")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *style && flags.NArg() > 0:
		return listNegated(os.DirFS(folder), out, flags.Args())
	case *style:
		return measure(os.DirFS(folder), out)
	}
	found, err := scan(os.DirFS(folder))
	if err != nil {
		return err
	}
	now := countsOf(found)
	switch {
	case flags.NArg() > 0:
		list(out, found, flags.Args())
		return nil
	case *force:
		return now.write(folder)
	}
	recorded, err := readRatchet(folder)
	if err != nil {
		return err
	}
	if *update {
		recorded = recorded.lowered(now)
		if err := recorded.write(folder); err != nil {
			return err
		}
	}
	return report(ctx, out, folder, found, recorded)
}

// list prints the hits in files and folders.
func list(out io.Writer, found map[string][]hit, names []string) {
	for _, group := range slices.Sorted(maps.Keys(found)) {
		for _, h := range found[group] {
			if slices.ContainsFunc(names, h.isIn) {
				_, _ = fmt.Fprintln(out, h)
			}
		}
	}
}

// report prints each count that differs from the recorded one, and is an error
// if there is one.
func report(ctx context.Context, out io.Writer, folder string, found map[string][]hit, recorded counts) error {
	now := countsOf(found)
	worse, better := recorded.compare(now)
	if len(worse) > 0 {
		before := recordedHits(ctx, folder)
		for _, name := range worse {
			_, _ = fmt.Fprintf(out, "%s: %d words to replace, %d recorded\n", name, now[name], recorded[name])
			fresh := added(before[name], found[name])
			if len(fresh) == 0 { // the commit that recorded too few had them already
				fresh = found[name]
			}
			printSome(out, fresh)
		}
	}
	for _, name := range better {
		_, _ = fmt.Fprintf(out, "%s: %d words to replace, %d recorded: `make words` records it\n", name, now[name], recorded[name])
	}
	if len(worse)+len(better) > 0 {
		return fmt.Errorf("%d counts of %s have risen, %d have fallen", len(worse), ratchetFile, len(better))
	}
	return nil
}

// recordedHits are those of the commit that last changed the recorded counts.
// Without history it returns none, and every hit counts as new.
func recordedHits(ctx context.Context, folder string) map[string][]hit {
	commit, err := exec.CommandContext(ctx, "git", "-C", folder, "log", "-1", "--format=%H", "--", ratchetFile).Output()
	if err != nil || len(commit) == 0 {
		return nil
	}
	files, err := tree.At(ctx, folder, strings.TrimSpace(string(commit)))
	if err != nil {
		return nil
	}
	found, err := scan(files)
	if err != nil {
		return nil
	}
	return found
}

func printSome(out io.Writer, hits []hit) {
	const most = 20
	for _, h := range hits[:min(most, len(hits))] {
		_, _ = fmt.Fprintln(out, " ", h)
	}
	if len(hits) > most {
		_, _ = fmt.Fprintf(out, "  and %d others\n", len(hits)-most)
	}
}
