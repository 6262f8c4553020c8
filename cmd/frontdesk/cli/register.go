package cli

import (
	"encoding/json"
	"io"
	"iter"
	"strings"
	"text/tabwriter"
)

// register lists what an operator has set up: a table for people, or an object a line for
// machines. It holds one page at a time, so that the length of a list costs no memory.
type register[T any] struct {
	header string
	cells  func(T) []any
	next   func(after T) ([]T, error) // a page, of at most [tableLines]
}

// write writes all rows to standard output.
func (l register[T]) write(r *run, machine bool) error {
	encoder := json.NewEncoder(r.Out)
	table := tabwriter.NewWriter(r.Out, 0, 8, 2, ' ', 0)
	if !machine {
		_, _ = io.WriteString(table, strings.ReplaceAll(l.header, "|", "\t")+"\n") // an error comes again at the end
	}
	lines := 0
	for item, err := range l.items() {
		if err != nil {
			return err
		}
		if machine {
			if err := encoder.Encode(item); err != nil {
				return err
			}
			continue
		}
		if lines++; lines%tableLines == 0 {
			_ = table.Flush() // as above
		}
		if err := row(table, l.cells(item)...); err != nil {
			return err
		}
	}
	return table.Flush()
}

// items yields all rows, page by page.
func (l register[T]) items() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var last T
		for {
			page, err := l.next(last)
			if err != nil {
				yield(last, err)
				return
			}
			for _, last = range page {
				if !yield(last, nil) {
					return
				}
			}
			if len(page) < tableLines {
				return
			}
		}
	}
}

// tableLines is how many lines of a table are held to align them.
const tableLines = 500
