package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ratchetFile holds a line for each page, template and package that has
// markers: its name and their number. All others have none.
const ratchetFile = ".ci/words/ratchet.tsv"

type counts map[string]int

func readRatchet(folder string) (counts, error) {
	text, err := os.ReadFile(filepath.Join(folder, ratchetFile))
	if err != nil {
		return nil, err
	}
	recorded := counts{}
	for line := range strings.Lines(string(text)) {
		name, number, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s has the line %q, not a name and a count: after a merge, run make words ARGS=-force", ratchetFile, line)
		}
		recorded[name] = n
	}
	return recorded, nil
}

func (c counts) write(folder string) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if c[name] > 0 {
			fmt.Fprintf(&b, "%s\t%d\n", name, c[name])
		}
	}
	return os.WriteFile(filepath.Join(folder, ratchetFile), []byte(b.String()), 0o644)
}

func countsOf(found map[string][]hit) counts {
	c := counts{}
	for name, hits := range found {
		c[name] = len(hits)
	}
	return c
}

// lowered are the recorded counts, or the new ones where these are lower.
func (c counts) lowered(now counts) counts {
	all := counts{}
	for name, n := range c {
		all[name] = min(n, now[name])
	}
	return all
}

// compare returns the names whose counts have risen, and have fallen.
func (c counts) compare(now counts) (worse, better []string) {
	for name, n := range now {
		if n > c[name] {
			worse = append(worse, name)
		}
	}
	for name, n := range c {
		if now[name] < n {
			better = append(better, name)
		}
	}
	slices.Sort(worse)
	slices.Sort(better)
	return worse, better
}
