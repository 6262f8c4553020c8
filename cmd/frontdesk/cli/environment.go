package cli

import "github.com/alecthomas/kong"

// elsewhere is the tag of a flag that names another service than the sandbox in --dir.
const elsewhere = "elsewhere"

// preferSandbox drops values of the environment that belong to another service: if the
// command line names a sandbox with --dir, or if the practice of the other service is
// missing (elsewhere:"tenant"). The environment is often exported for other commands.
func preferSandbox(parsed *kong.Context) {
	typed, given := typedFlags(parsed), map[string]bool{}
	for _, flag := range parsed.Flags() {
		given[flag.Name] = !flag.Target.IsZero()
	}
	for _, flag := range parsed.Flags() {
		needs := flag.Tag.Get(elsewhere)
		if flag.Tag.Has(elsewhere) && !typed[flag.Name] && (typed["dir"] || needs != "" && !given[needs]) {
			flag.Target.SetZero()
		}
	}
}

// instead is the tag of flags that set the same thing in different ways. Its value names it.
const instead = "instead"

// preferNearer drops values that another flag overrides: the command line wins over
// the environment, and that over the config file.
func preferNearer(parsed *kong.Context) {
	typed, nearest := typedFlags(parsed), map[string]int{}
	near := func(flag *kong.Flag) int {
		switch {
		case typed[flag.Name]:
			return 2
		case environmentOf(flag) != "":
			return 1
		}
		return 0
	}
	for _, flag := range parsed.Flags() {
		what := flag.Tag.Get(instead)
		nearest[what] = max(nearest[what], near(flag))
	}
	for _, flag := range parsed.Flags() {
		if flag.Tag.Has(instead) && near(flag) < nearest[flag.Tag.Get(instead)] {
			flag.Target.SetZero()
		}
	}
}
