package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"frontdesk/cmd/frontdesk/cli/term"
)

// run runs a command line, and returns its exit status and output.
func run(t *testing.T, args ...string) (status int, out, failure string) {
	t.Helper()
	var printed, failed bytes.Buffer
	status = Main(t.Context(), args, term.Streams{In: strings.NewReader(""), Out: &printed, Err: &failed})
	return status, printed.String(), failed.String()
}

// model is the table of all commands.
func model(t *testing.T) *kong.Node {
	t.Helper()
	parser, err := newParser(&commandLine{}, Streams{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Node
}

// visible are the commands below a node, nouns included, that its help lists.
func visible(node *kong.Node) (all []*kong.Node) {
	for _, child := range node.Children {
		if !child.Hidden {
			all = append(append(all, child), visible(child)...)
		}
	}
	return all
}

func TestHelpFitsOneScreen_D137(t *testing.T) {
	t.Parallel()
	const screen, columns = 40, 100
	for _, args := range [][]string{{}, {"--help"}, {"help"}} {
		status, help, _ := run(t, args...)
		lines := strings.Split(strings.TrimSuffix(help, "\n"), "\n")
		if status != 0 || len(lines) > screen {
			t.Errorf("%v: exit status %d, %d lines", args, status, len(lines))
		}
		for _, line := range lines {
			if len(line) > columns {
				t.Errorf("%d columns: %s", len(line), line)
			}
		}
		for _, command := range model(t).Children {
			if !command.Hidden && !strings.Contains(help, "\n  "+command.Name+" ") {
				t.Errorf("%s is in no part of the help", command.Name)
			}
		}
	}
	for _, noun := range model(t).Children {
		if _, help, _ := run(t, noun.Name, "--help"); !noun.Leaf() && strings.Count(help, "\n") > screen {
			t.Errorf("the help of %s has %d lines", noun.Name, strings.Count(help, "\n"))
		}
	}
}

func TestHelpOfNounListsItsVerbs_D137(t *testing.T) {
	t.Parallel()
	nouns := 0
	for _, noun := range model(t).Children {
		if noun.Leaf() {
			continue
		}
		nouns++
		_, help, _ := run(t, noun.Name, "--help")
		if _, same, _ := run(t, "help", noun.Name); same != help {
			t.Errorf("frontdesk help %s prints\n%s", noun.Name, same)
		}
		help = strings.Join(strings.Fields(help), " ") // without its line breaks
		for _, verb := range visible(noun) {
			if !strings.Contains(help, verb.Path()+" "+verb.Help) {
				t.Errorf("the help of %s does not list %s", noun.Name, verb.Path())
			}
		}
	}
	if nouns < 15 {
		t.Errorf("%d nouns", nouns)
	}
}

// The line of a command is a verb and its object.
func TestHelpLinesAreShort_D137(t *testing.T) {
	t.Parallel()
	const words = 8
	for _, command := range visible(model(t)) {
		if n := len(strings.Fields(command.Help)); n < 2 || n > words || !strings.HasSuffix(command.Help, ".") {
			t.Errorf("%s: %d words: %s", command.Path(), n, command.Help)
		}
	}
}

func TestUnknownCommandSuggestsNearest_D137(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"register-practice":                     "practice register",
		"list-staff --json":                     "staff list",
		"invite staff":                          "staff invite",
		"grant-endpoint":                        "application grant",
		"set-opening-hours":                     "request-type set-hours",
		"erase-patient":                         "erasure request-patient",
		"lift-erasure-hold":                     "erasure lift-hold",
		"mark-patient-request-entered-in-error": "request mark-entered-in-error",
		"check-receiver https://localhost/":     "integrator check-receiver",
		"keys":                                  "key",
		"keys list":                             "key list",
		"prctice list":                          "practice list",
		"practice lst":                          "practice list",
		"audit verfy --json":                    "audit verify",
		"serv":                                  "serve",
		"sandbox rest":                          "sandbox reset",
		"help practise":                         "practice",
	} {
		status, _, failure := run(t, strings.Fields(typed)...)
		if status != 2 || !strings.Contains(failure, fmt.Sprintf("did you mean %q", "frontdesk "+want)) {
			t.Errorf("%s: exit status %d: %s", typed, status, failure)
		}
	}
	if _, _, failure := run(t, "frobnicate"); strings.Contains(failure, "did you mean") || !strings.Contains(failure, `unknown command "frobnicate"`) {
		t.Errorf("a word that is near to none: %s", failure)
	}
	if _, _, failure := run(t, "practice", "list", "--databas-url=x"); !strings.Contains(failure, `did you mean "--database-url"`) {
		t.Errorf("an unknown flag: %s", failure)
	}
}

var update = flag.Bool("update", false, "write docs/operate/commands.md")

// The page of commands is made from the table.
func TestCommandsPageIsCurrent_D137(t *testing.T) {
	t.Parallel()
	const page = "../../../docs/operate/commands.md"
	want := commandsPage(model(t))
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("%s is not made from this table: run go test ./cmd/frontdesk/cli -run TestCommandsPage -update (%v)", page, err)
	}
}

func commandsPage(root *kong.Node) string {
	var page strings.Builder
	page.WriteString(`# Commands

All commands of ` + "`frontdesk`" + `, made from the table that also makes ` + "`--help`" + ` and shell completion. ` + "`frontdesk practice --help`" + ` lists
the verbs of a noun. ` + "`frontdesk practice list --help`" + ` lists the flags of a command, with their defaults. An unknown command
suggests the nearest one.
`)
	for _, part := range parts {
		fmt.Fprintf(&page, "\n## %s\n\n| command | what it does |\n|---|---|\n", part.title)
		for _, command := range root.Children {
			if command.Tag.Get("part") != part.name {
				continue
			}
			for _, c := range slices.Concat([]*kong.Node{command}, visible(command)) {
				if c.Leaf() {
					what := strings.TrimSpace(c.Help + " " + c.Tag.Get("detail"))
					if sandboxOnly(c) {
						what += " Only in a sandbox."
					}
					fmt.Fprintf(&page, "| `frontdesk %s` | %s |\n", c.Path(), strings.ReplaceAll(what, "|", `\|`))
				}
			}
		}
	}
	return page.String()
}
