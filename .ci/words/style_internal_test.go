package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
)

func TestStyleOfPagesIsMeasured(t *testing.T) {
	t.Parallel()
	pages := fstest.MapFS{
		"README.md": {Data: []byte("# frontdesk\n\nOne two three.\n")},
		"docs/operate/a.md": {Data: []byte("# Rotate the key\n\n## The key\n\n" +
			"The old key is never used again. You stage a key. No one can not see it.\n\n" +
			"```sh\n# is replaced\n```\n\n```mermaid\nflowchart\n```\n\nA " + strings.Repeat("long ", 30) + "sentence.\n")},
		"docs/operate/commands.md": {Data: []byte("# Generated\n\nIt is written.\n")},
		"docs/operate/long.md":     {Data: []byte("# Long\n\n" + strings.Repeat("A word. ", 1200))},
	}
	var out bytes.Buffer
	if err := measure(pages, &out); err != nil {
		t.Fatal(err)
	}
	printed := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"2 2449 0.0 25.0 % 25.0 % 25.0 % 33.3 % 1 1 user pages", "README.md: 5 words", "over 2,000 words: docs/operate/long.md"} {
		if !strings.Contains(printed, want) {
			t.Errorf("it does not print %q:\n%s", want, &out)
		}
	}
}
