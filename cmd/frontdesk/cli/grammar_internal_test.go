package cli

import (
	"reflect"
	"slices"
	"testing"

	"github.com/alecthomas/kong"
)

// Whatever the command line can be is the same when only its command is looked at.
func TestEachCommandIsFoundAlone(t *testing.T) {
	t.Parallel()
	all, err := newParser(&commandLine{}, Streams{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range all.Model.Children {
		alone, err := newParser(grammar(command.Name), Streams{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(alone.Model.Children, func(c *kong.Node) bool { return c.Name == command.Name && c.Help == command.Help })
		if !found || len(alone.Model.Children) > 1 && command.Name != "completion" {
			t.Errorf("%s is one of %d commands", command.Name, len(alone.Model.Children))
		}
	}
	for _, none := range []string{"", "--help", "no-such-command"} {
		if got := grammar(none); reflect.TypeOf(got) != reflect.TypeFor[*commandLine]() {
			t.Errorf("%q is a command", none)
		}
	}
}
