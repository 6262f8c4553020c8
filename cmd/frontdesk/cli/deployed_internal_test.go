package cli

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

const operations = "../../../docs/operate/"

// deployed is a program as a unit of systemd or a pod starts it.
type deployed struct {
	name     string
	args     []string
	env      map[string]string // without the operator's secrets
	settings string            // the file that --config names there, here
	secrets  []string          // variables of this program that stand in a file of their own
	ports    map[string]string // of a pod, as its environment would give them
	writable []string          // folders that outlive the process
}

// Each unit and each pod gives its command all that it needs, by names that it knows.
func TestSettingsOfUnitsAndPodsParse_D112(t *testing.T) { //nolint:paralleltest // it sets variables
	for kind, all := range map[string][]deployed{"unit": units(t), "pod": pods(t)} {
		commands := map[string]bool{}
		for _, d := range all {
			t.Run(kind+" "+d.name, func(t *testing.T) {
				parsed := d.parse(t)
				commands[parsed.Selected().Name] = true
				d.listens(t, parsed)
			})
		}
		want := []string{"migrate", "relay", "retain", "serve", "sign"}
		if kind == "unit" {
			want = []string{"create", "migrate", "relay", "retain", "serve", "sign", "verify"}
		}
		if got := slices.Sorted(maps.Keys(commands)); !slices.Equal(slices.DeleteFunc(got, func(c string) bool { return c == "witness" }), want) {
			t.Errorf("as a %s there are %v, want %v", kind, got, want)
		}
	}
}

// A restored backup brings back everyone who was erased since, unless the ledger names them.
func TestServeKeepsAnErasureLedger(t *testing.T) { //nolint:paralleltest // it sets variables
	for kind, all := range map[string][]deployed{"unit": units(t), "pod": pods(t), "container": composed(t)} {
		served := 0
		for _, d := range all {
			if d.args[0] != "serve" {
				continue
			}
			served++
			t.Run(kind+" "+d.name, func(t *testing.T) {
				if ledger := d.flag(t, "erasure-ledger"); !slices.Contains(d.writable, filepath.Dir(ledger)) {
					t.Errorf("the erasure ledger is %q, and %v can be written", ledger, d.writable)
				}
			})
		}
		if served == 0 {
			t.Errorf("no %s serves", kind)
		}
	}
}

// How long the access record is kept is for the practices to decide (docs/privacy/retention.md).
func TestNoRetentionIsShipped(t *testing.T) { //nolint:paralleltest // it sets variables
	retained := 0
	for _, d := range slices.Concat(units(t), pods(t)) {
		if d.args[0] != "retain" {
			continue
		}
		retained++
		t.Run(d.name, func(t *testing.T) {
			if is := d.flag(t, "access-retention"); is != "never" {
				t.Errorf("it keeps the access record for %s", is)
			}
		})
	}
	if retained != 2 {
		t.Errorf("%d of them retain, and not a unit and a pod", retained)
	}
}

// flag returns the value of a flag.
func (d deployed) flag(t *testing.T, name string) string {
	t.Helper()
	flags := d.parse(t).Selected().Flags
	return holds(flags[slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Name == name })])
}

// parse reads the command line as the program does.
func (d deployed) parse(t *testing.T) *kong.Context {
	t.Helper()
	args := slices.Clone(d.args)
	for n, arg := range args {
		if arg == "/etc/frontdesk/frontdesk.yaml" && n > 0 && args[n-1] == "--config" {
			args[n] = d.settings
		}
	}
	for name, value := range d.env {
		t.Setenv(name, value)
	}
	for _, name := range d.secrets {
		t.Setenv(name, "nats://127.0.0.1")
	}
	parser, err := newParser(grammar(args[0]), Streams{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if missing := slices.DeleteFunc(slices.Sorted(maps.Keys(d.env)), func(name string) bool { return known(parsed, name) }); len(missing) > 0 {
		t.Errorf("%v are no variables of %s", missing, args[0])
	}
	return parsed
}

// known reports whether a variable is one of the command, or none of this program's.
func known(parsed *kong.Context, variable string) bool {
	return !strings.HasPrefix(variable, "FRONTDESK_") ||
		slices.ContainsFunc(parsed.Selected().Flags, func(f *kong.Flag) bool { return slices.Contains(f.Envs, variable) })
}

// listens compares the ports that a pod names with where its program listens.
func (d deployed) listens(t *testing.T, parsed *kong.Context) {
	t.Helper()
	where := map[string]string{"listen": "http", "private-listen": "private", "metrics-listen": "private"}
	for _, flag := range parsed.Selected().Flags {
		at, port := holds(flag), d.ports[where[flag.Name]]
		if where[flag.Name] != "" && d.ports != nil && at != port {
			t.Errorf("--%s is %s, and the pod's port %q", flag.Name, at, port)
		}
	}
}

// units are the services of systemd.
func units(t *testing.T) (all []deployed) {
	t.Helper()
	for name, lines := range unitFiles(t, "service") {
		d := deployed{name: name, env: map[string]string{}, settings: operations + "systemd/frontdesk.yaml"}
		for _, line := range lines {
			key, value, _ := strings.Cut(line, "=")
			value = strings.NewReplacer("%d", "/run/credentials", "%S", "/var/lib").Replace(value)
			switch key {
			case "ExecStart":
				d.args = strings.Fields(value)[1:]
			case "StateDirectory":
				d.writable = append(d.writable, "/var/lib/"+value)
			case "Environment":
				variable, is, _ := strings.Cut(value, "=")
				d.env[variable] = is
			}
		}
		switch d.args[0] {
		case "relay":
			d.secrets = []string{"FRONTDESK_NATS"}
		case "witness":
			d.settings = witnessSettings(t)
		}
		all = append(all, d)
	}
	return all
}

// unitFiles are the lines of the units of a kind, by their names.
func unitFiles(t *testing.T, kind string) map[string][]string {
	t.Helper()
	names, err := filepath.Glob(operations + "systemd/*." + kind)
	if err != nil || len(names) == 0 {
		t.Fatalf("there are %v, %v", names, err)
	}
	files := map[string][]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = strings.Split(string(text), "\n")
	}
	return files
}

// witnessSettings is the config file of a witness. Nothing else of ours runs where it does.
func witnessSettings(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "frontdesk.yaml")
	if err := os.WriteFile(file, []byte("witness:\n  listen: 127.0.0.1:8090\n  log-key: api.example.org+1+key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
