package apply

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestFilesAreCutAtSeparators(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]piece{
		"a":                        {{line: 1, text: []byte("a")}},
		"a\n---\nb\n":              {{line: 1, text: []byte("a\n")}, {line: 2, text: []byte("\nb\n")}},
		"---\na\n--- # b\n\nc\n":   {{line: 1, text: []byte{}}, {line: 1, text: []byte("\na\n")}, {line: 3, text: []byte(" # b\n\nc\n")}},
		"a: |\n  ---\n---b: 1\n":   {{line: 1, text: []byte("a: |\n  ---\n---b: 1\n")}},
		"a\r\n---\r\nb\n---":       {{line: 1, text: []byte("a\r\n")}, {line: 2, text: []byte("\r\nb\n")}, {line: 4, text: []byte{}}},
		strings.Repeat("#\n", 300): {{line: 1, text: []byte(strings.Repeat("#\n", 300))}},
	} {
		got := file{text: []byte(text)}.pieces()
		same := slices.EqualFunc(got, want, func(a, b piece) bool { return a.line == b.line && string(a.text) == string(b.text) })
		if !same {
			t.Errorf("%q is cut into %+v, want %+v", text, got, want)
		}
	}
}

func TestInputIsBounded(t *testing.T) {
	t.Parallel()
	files := &Files{}
	if err := files.Add("large", strings.NewReader(strings.Repeat("x", mostBytes+1))); !errors.Is(err, errTooMuch) {
		t.Errorf("too large a file: %v", err)
	}
	_, err := parsePiece(piece{file: "f", line: 3, text: []byte(strings.Repeat("x", longestBytes+1))})
	if err == nil || !strings.HasPrefix(err.Error(), "f:3:1: a document must not be longer than 1024 KiB") {
		t.Errorf("too long a document: %v", err)
	}
}

// Results come in the order of the items, and after an error no worker is left.
func TestWorkIsDoneInOrder(t *testing.T) {
	t.Parallel()
	items := make([]int, 200)
	for n := range items {
		items[n] = n
	}
	double := func(_ context.Context, n int) int { return 2 * n }
	var got []int
	err := inOrder(t.Context(), items, double, func(n, twice int) error {
		got = append(got, twice-n)
		return nil
	})
	if err != nil || !slices.Equal(got, items) {
		t.Errorf("got %v, error %v", got, err)
	}
	stop := errors.New("stop")
	if err := inOrder(t.Context(), items, double, func(n, _ int) error {
		if n == 7 {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := inOrder(ended, items, double, func(int, int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}
