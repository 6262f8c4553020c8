package term

import (
	"fmt"
	"strings"
)

const leastLetter = 3 // a third of a word's letters may be wrong

// Similarity is 1 for equal words, and 0 for words that differ in more than a third of their letters.
func Similarity(a, b string) float64 {
	longer, edits := max(len(a), len(b)), distance(a, b)
	if edits*leastLetter > longer {
		return 0
	}
	return 1 - float64(edits)/float64(longer)
}

// distance is how many bytes must be added, removed or replaced to make one word the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			edits := diagonal
			if a[i] != b[j] {
				edits++
			}
			diagonal = row[j+1]
			row[j+1] = min(edits, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// OneOf returns nil for one of the names. Otherwise its error suggests the nearest, or lists
// all if none is near.
func OneOf(noun, typed string, names ...string) error {
	near, best := "", 0.0
	for _, name := range names {
		if name == typed {
			return nil
		}
		if s := Similarity(typed, name); s > best {
			near, best = name, s
		}
	}
	if near == "" {
		return fmt.Errorf("unknown %s %q: give %s", noun, typed, strings.Join(names, " or "))
	}
	return fmt.Errorf("unknown %s %q, did you mean %q?", noun, typed, near)
}
