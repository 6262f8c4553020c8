package cli

import "github.com/alecthomas/kong"

// elsewhere is the tag of a flag that names another service than the sandbox in --dir.
const elsewhere = "elsewhere"

// preferSandbox forgets what the environment says of another service, if that is not
// what is meant: the command line names a sandbox with --dir, or the practice of the
// other service is missing (elsewhere:"tenant"). The environment is often exported for
// other commands.
func preferSandbox(parsed *kong.Context) {
	typed := map[string]bool{}
	for _, step := range parsed.Path {
		if step.Flag != nil && !step.Resolved {
			typed[step.Flag.Name] = true
		}
	}
	given := map[string]bool{}
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
