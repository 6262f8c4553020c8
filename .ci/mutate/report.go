package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// String returns the result as a line of the table.
func (r result) String() string {
	text := fmt.Sprintf("%-9s  %-20s  %s:%d", r.outcome, r.kind, r.source.name, r.line())
	if r.by != "" {
		text += "  " + r.by
	}
	return fmt.Sprintf("%s  (%s)", text, r.took.Round(100*time.Millisecond))
}

// report prints the diffs of the survivors, then the number of each outcome, and writes the file of
// results.
func report(out io.Writer, c config, results []result) error {
	counts := map[string]int{}
	for _, r := range results {
		counts[r.outcome]++
		if r.outcome == survived {
			_, _ = fmt.Fprintf(out, "\n%s: %s:%d\n%s", r.kind, r.source.name, r.line(), r.diff())
		}
	}
	_, _ = fmt.Fprintf(out, "\n%d mutants by seed %d: %d killed, %d timed out, %d survived; %d more did not compile\n",
		len(results)-counts[uncompiled], c.seed, counts[killed], counts[timedOut], counts[survived], counts[uncompiled])
	if c.file == "" {
		return nil
	}
	return os.WriteFile(c.file, separated(results), 0o600)
}

// diff returns the lines that a mutant changes, before and after.
func (m mutant) diff() string {
	text := m.source.text
	from := bytes.LastIndexByte(text[:m.from], '\n') + 1
	to := len(text)
	if n := bytes.IndexByte(text[m.to:], '\n'); n >= 0 {
		to = m.to + n
	}
	was, is := string(text[from:to]), string(text[from:m.from])+m.text+string(text[m.to:to])
	return marked("-", was) + marked("+", is)
}

func marked(sign, text string) string {
	return sign + strings.ReplaceAll(text, "\n", "\n"+sign) + "\n"
}

// separated returns the results as tab-separated values.
func separated(results []result) []byte {
	var b bytes.Buffer
	b.WriteString("outcome\tkind\tplace\tkilled by\tseconds\treplaced\tby\n")
	line := strings.NewReplacer("\n", " ", "\t", " ")
	for _, r := range results {
		_, _ = fmt.Fprintf(&b, "%s\t%s\t%s:%d\t%s\t%.1f\t%s\t%s\n", r.outcome, r.kind, r.source.name, r.line(), r.by, r.took.Seconds(),
			line.Replace(string(r.source.text[r.from:r.to])), line.Replace(r.text))
	}
	return b.Bytes()
}
