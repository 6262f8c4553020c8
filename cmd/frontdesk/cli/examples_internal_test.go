package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/term"
)

// exampleArgs splits an example as a shell does.
func exampleArgs(example string) (args []string) {
	for i, part := range strings.Split(example, "'") {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args[1:]
}

// A command that requires anything has an example in its help, and the program reads it.
func TestHelpHasExamples_D181(t *testing.T) {
	t.Parallel()
	shown := 0
	for _, command := range model(t).Leaves(true) {
		example := exampleOf(command)
		required := slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool { return f.Required && f.Name != "database-url" }) ||
			slices.ContainsFunc(command.Positional, func(v *kong.Value) bool { return v.Required })
		if example == "" {
			if required && !strings.Contains(command.Detail, "Example: ") {
				t.Errorf("%s has no example", command.Path())
			}
			continue
		}
		shown++
		if !strings.Contains(helpOf(t, command), "Example: "+strings.Join(strings.Fields(example), " ")) {
			t.Errorf("the help of %s does not show %s", command.Path(), example)
		}
		args := exampleArgs(example)
		parser, err := newParser(grammar(args[0]), term.Streams{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == "database-url" }) {
			args = append(args, "--database-url=postgres://localhost/frontdesk")
		}
		parsed, err := parser.Parse(args)
		if err != nil || parsed.Selected().Path() != command.Path() {
			t.Errorf("%s: %v", example, err)
		}
	}
	if shown < 100 {
		t.Errorf("%d examples", shown)
	}
}

// Operators do not do the work of staff: commands that do need the database of a sandbox.
func TestWorkOfStaffNeedsSandbox_D181(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	var refused []string
	for _, command := range model(t).Leaves(true) {
		if !sandboxOnly(command) {
			continue
		}
		refused = append(refused, command.Path())
		args := exampleArgs(strings.NewReplacer("note.txt", "-", "request.json", "-").Replace(exampleOf(command)))
		args = slices.Insert(args, 2, "--database-url="+db.URL, "--as=dr.lee")
		if command.Path() == "webhook trigger" {
			args = append(args, "--tenant=elm", "--patient=0190c7a2-0000-7000-8000-0000000000b0")
		}
		if status, _, failure := run(t, args...); status != 1 || !strings.Contains(failure, "(sandbox-only)") {
			t.Errorf("%s: status %d, %s", command.Path(), status, failure)
		}
	}
	for _, must := range []string{"appointment call-in", "patient create-note", "request take", "request complete", "request submit", "webhook trigger"} {
		if !slices.Contains(refused, must) {
			t.Errorf("%s is not among %v", must, refused)
		}
	}
}
