package main

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
)

// draw returns the mutants in the order of a seed. Each time it draws a kind first, so that
// frequent kinds do not crowd out rare ones, and then one of that kind.
func draw(all []mutant, seed uint64) iter.Seq[mutant] {
	return func(yield func(mutant) bool) {
		random, left := rand.New(rand.NewPCG(seed, 0)), byKind(all)
		for len(left) > 0 {
			kinds := slices.Sorted(maps.Keys(left))
			kind := kinds[random.IntN(len(kinds))]
			n := random.IntN(len(left[kind]))
			m := left[kind][n]
			if left[kind] = slices.Delete(left[kind], n, n+1); len(left[kind]) == 0 {
				delete(left, kind)
			}
			if !yield(m) {
				return
			}
		}
	}
}

func byKind(all []mutant) map[string][]mutant {
	found := map[string][]mutant{}
	for _, m := range all {
		found[m.kind] = append(found[m.kind], m)
	}
	return found
}

// listPlaces prints how many mutants there are of each kind.
func listPlaces(out io.Writer, all []mutant) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	kinds := byKind(all)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		_, _ = fmt.Fprintf(table, "%s\t%d\n", kind, len(kinds[kind]))
	}
	_, _ = fmt.Fprintf(table, "all\t%d\n", len(all))
	return table.Flush()
}
