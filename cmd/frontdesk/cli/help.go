package cli

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"frontdesk/cmd/frontdesk/cli/term"
)

// helpWidth is the most columns of a line of help.
const helpWidth = 100

// helpEnd is the end of every help text.
const helpEnd = `Verbs: "frontdesk practice --help". Flags override FRONTDESK_DATABASE_URL and so on, then --config.
`

// helpCmd is "frontdesk help practice list", which [Main] reads as "frontdesk practice list --help".
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command."`
}

// Run is never called.
func (*helpCmd) Run(*term.Run) error { return nil }

// printHelp prints the help of a command; the program's, if none is selected. kong would print
// that with flags, and with blank lines that do not fit a screen.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if command := ctx.Selected(); command != nil {
		if example := exampleOf(command); example != "" && command.Leaf() {
			command.Detail = strings.TrimSpace(command.Detail + "\n\nExample:\n\n    " + example)
		}
		return kong.DefaultHelpPrinter(options, ctx)
	}
	table := tabwriter.NewWriter(ctx.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "Usage: frontdesk <command> [flags]")
	for _, part := range parts {
		fmt.Fprintf(table, "\n%s\n", part.title)
		for _, command := range ctx.Model.Children {
			if command.Tag.Get("part") == part.name {
				fmt.Fprintf(table, "  %s\t%s\n", command.Name, command.Help)
			}
		}
	}
	fmt.Fprint(table, "\n"+helpEnd)
	return table.Flush()
}

// withDefault returns the help of a flag or an argument. kong prints the default of a flag as
// its placeholder, so where the flag has another placeholder the help names the default.
func withDefault(value *kong.Value) string {
	if value.Flag != nil && value.Flag.PlaceHolder != "" && value.Default != "" {
		help, dot := strings.CutSuffix(value.Help, ".")
		help += fmt.Sprintf(" (default %s)", value.Default)
		if dot {
			help += "."
		}
		described := *value
		described.Help, value = help, &described
	}
	return kong.DefaultHelpValueFormatter(value)
}

// helpFor is the command line, after the program's name, that prints the help for an error.
func helpFor(err error) string {
	if parsing, ok := errors.AsType[*kong.ParseError](err); ok && parsing.Context.Selected() != nil {
		return parsing.Context.Selected().Path() + " --help"
	}
	return "--help"
}
