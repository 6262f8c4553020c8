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

func TestSentencesWithADoubleNegationAreListed(t *testing.T) {
	t.Parallel()
	p := project{t, t.TempDir()}
	p.write("docs/operate/a.md", "# Not without\n\nNo, never.\nIt is not one. A call without a key never\ngets an answer.\n\n- [Nothing](b.md) cannot wait! Two.\n")
	p.write("docs/operate/b.txt", "It is not without use.\n")
	p.write("docs/privacy/c.md", "It is not without use.\n")
	p.write("docs/audit/d.md", "It is not without use.\n")
	var out bytes.Buffer
	if err := run(t.Context(), p.folder, []string{"-style", "docs/operate", "docs/privacy/c.md"}, &out); err != nil {
		t.Fatal(err)
	}
	want := "docs/operate/a.md:4: A call without a key never gets an answer\n" +
		"docs/operate/a.md:7: Nothing cannot wait\n" +
		"docs/privacy/c.md:1: It is not without use\n"
	if out.String() != want {
		t.Errorf("it prints\n%swant\n%s", &out, want)
	}
}
