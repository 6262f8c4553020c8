package term

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Visible is the writer of all output of the command line. It shows a character by which a
// text could move the cursor, hide text before it or reverse the order of a line as
// \u009b (D50). Such a text was chosen by a caller of the service, or by the person who named
// a thing.
//
// JSON keeps its meaning, because such a character can only occur in a string, where
// \u009b means it. A byte that is no UTF-8, which an old terminal may act on, is
// shown as \ufffd: that is how readers of JSON take it.
//
// It keeps the first error, so that a run whose output went nowhere does not end as if
// all had gone well.
type Visible struct {
	mu  sync.Mutex // webhooks are refused, and said to be, at the same time
	w   io.Writer
	err error
}

// NewVisible returns a Visible that writes to a stream.
func NewVisible(w io.Writer) *Visible { return &Visible{w: w} }

// Failure returns the first error of a write.
func (v *Visible) Failure() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.err
}

// Write prints p. It leaves line ends and tabs, which lines and tables are made of.
func (v *Visible) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := io.WriteString(v.w, escaped(string(p), acts)); err != nil {
		v.err = cmp.Or(v.err, err)
		return 0, err
	}
	return len(p), nil
}

// acts reports whether a terminal acts on a character instead of showing it.
func acts(r rune) bool {
	return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// endsCell reports whether a character of a cell would begin another cell or line.
func endsCell(r rune) bool { return r == '\n' || r == '\t' }

// escaped shows characters as \u009b, and bytes that are no UTF-8 as \ufffd.
func escaped(text string, which func(rune) bool) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, which) {
		return text
	}
	var shown strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if which(r) || r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&shown, `\u%04x`, r)
		} else {
			shown.WriteString(text[:n])
		}
		text = text[n:]
	}
	return shown.String()
}

// Row writes a line of a table. No cell can begin another cell or another line.
func Row(table io.Writer, cells ...any) error {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = escaped(fmt.Sprint(cell), endsCell)
	}
	_, err := fmt.Fprintln(table, strings.Join(texts, "\t"))
	return err
}
