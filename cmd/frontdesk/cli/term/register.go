package term

import (
	"encoding/json"
	"io"
	"iter"
	"strings"
	"text/tabwriter"
)

// Register lists the things that an operator has set up: a table for people, or an object a
// line for machines. It holds one page at a time, so a long list takes no more memory.
type Register[T any] struct {
	Header string
	Cells  func(T) []any
	Next   func(after T) ([]T, error) // a page, of at most [TableLines]
}

// Write writes all rows to standard output.
func (l Register[T]) Write(r *Run, machine bool) error {
	encoder := json.NewEncoder(r.Out)
	table := tabwriter.NewWriter(r.Out, 0, 8, 2, ' ', 0)
	if !machine {
		_, _ = io.WriteString(table, strings.ReplaceAll(l.Header, "|", "\t")+"\n") // an error comes again at the end
	}
	lines := 0
	for item, err := range l.Items() {
		if err != nil {
			return err
		}
		if machine {
			if err := encoder.Encode(item); err != nil {
				return err
			}
			continue
		}
		if lines++; lines%TableLines == 0 {
			_ = table.Flush() // as above
		}
		if err := Row(table, l.Cells(item)...); err != nil {
			return err
		}
	}
	return table.Flush()
}

// Items yields all rows, page by page.
func (l Register[T]) Items() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var last T
		for {
			page, err := l.Next(last)
			if err != nil {
				yield(last, err)
				return
			}
			for _, last = range page {
				if !yield(last, nil) {
					return
				}
			}
			if len(page) < TableLines {
				return
			}
		}
	}
}

// TableLines is how many lines of a table are held to align them.
const TableLines = 500
