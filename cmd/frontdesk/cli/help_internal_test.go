package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// kong prints a placeholder in place of the default. The help prints both.
func TestHelpShowsEveryDefault(t *testing.T) {
	t.Parallel()
	all, err := newParser(&commandLine{}, Streams{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	placeholders := 0
	for _, command := range all.Model.Leaves(true) {
		help := helpOf(t, command)
		for _, flag := range command.Flags {
			want := fmt.Sprintf("--%s=%s", flag.Name, flag.FormatPlaceHolder())
			switch {
			case flag.Default == "" || flag.IsBool():
				continue
			case flag.PlaceHolder != "":
				want = "(default " + flag.Default + ")"
				placeholders++
			}
			if !strings.Contains(help, want) {
				t.Errorf("the help of %s does not say %s of --%s", command.Path(), want, flag.Name)
			}
		}
	}
	if placeholders < 28 {
		t.Errorf("%d flags have a default and a placeholder", placeholders)
	}
}

// helpOf is the help of a command, without its line breaks.
func helpOf(t *testing.T, command *kong.Node) string {
	t.Helper()
	var out bytes.Buffer
	args := strings.Fields(command.FullPath())[1:]
	parser, err := newParser(grammar(args[0]), Streams{Out: &out, Err: &out}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = parser.Parse(append(args, "--help")) // it goes on after the help, and lacks arguments
	return strings.Join(strings.Fields(out.String()), " ")
}
