package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"frontdesk/cmd/frontdesk/cli/service"
	"frontdesk/cmd/frontdesk/cli/term"
)

// fileSettings implements [service.SettingsFiles] for the commands of this program.
type fileSettings struct{}

// Resolve has kong ask a file for the settings of a command.
func (fileSettings) Resolve(ctx *kong.Context, at *kong.Path, command string) error {
	return resolve(ctx, at, command)
}

// Print lists the flags of the command, their values and where each value is set.
func (fileSettings) Print(w io.Writer, parsed *kong.Context, file service.ConfigFile) error {
	return printConfiguration(w, parsed, file)
}

// resolve gives kong the settings of a command from a file.
func resolve(ctx *kong.Context, at *kong.Path, of string) error {
	command := ctx.Selected()
	if command == nil || !slices.Contains(command.Flags, at.Flag) {
		return nil
	}
	said, err := readSettings(fmt.Sprint(ctx.FlagValue(at.Flag)), of)
	if err != nil {
		return err
	}
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if value, ok := said[flag.Name]; ok && environmentOf(flag) == "" {
			return value.text, nil
		}
		return nil, nil //nolint:nilnil // that is how kong learns that nothing is known
	}))
	return nil
}

// operatorSection is the name of the section that all other commands read, from the file that
// the environment names.
const operatorSection = "operator"

// operatorFlags are the flags in that section: the same for many commands.
type operatorFlags struct {
	term.DatabaseFlag     `embed:""`
	term.MasterKeyFlags   `embed:""`
	term.LedgerFlag       `embed:""`
	term.NetworkFlag      `embed:""`
	AuthURL               string `name:"auth-url"`
	AuthorisationLifetime time.Duration
}

// operatorSettings gives kong the flags of commands without --config from the section for
// operators. It reads the file once, and only for such a command.
type operatorSettings struct {
	read bool
	said settings
	err  error
}

// Validate implements [kong.Resolver].
func (*operatorSettings) Validate(*kong.Application) error { return nil }

// Resolve returns the value of a flag that is neither typed nor in the environment.
func (o *operatorSettings) Resolve(ctx *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	name, command := os.Getenv("FRONTDESK_CONFIG"), ctx.Selected()
	if name == "" || command == nil || environmentOf(flag) != "" || !slices.Contains(command.Flags, flag) ||
		!hasFlag(command, "database-url") || hasFlag(command, "config") {
		return nil, nil //nolint:nilnil // that is how kong learns that nothing is known
	}
	if !o.read {
		o.read = true
		o.said, o.err = readSettings(name, operatorSection)
	}
	if value, ok := o.said[flag.Name]; ok && o.err == nil {
		return value.text, nil
	}
	return nil, o.err
}

func hasFlag(command *kong.Node, name string) bool {
	return slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == name })
}

// configurable returns the commands that read a config file, and the section for operators.
func configurable() ([]*kong.Node, error) {
	var fields []reflect.StructField
	for field := range reflect.TypeFor[commandLine]().Fields() {
		if config, ok := field.Type.FieldByName("Config"); ok && config.Type == reflect.TypeFor[service.ConfigFile]() {
			fields = append(fields, field)
		}
	}
	fields = append(fields, reflect.StructField{Name: "Operator", Type: reflect.TypeFor[operatorFlags](), Tag: `cmd:""`})
	parser, err := newParser(reflect.New(reflect.StructOf(fields)).Interface(), term.Streams{}, nil)
	if err != nil {
		return nil, err
	}
	return parser.Model.Children, nil
}

// setting is the value of a flag in a file.
type setting struct {
	text string // as the flag would be typed
	at   string // FILE:LINE
	own  bool   // it is in the section of the command
}

// settings are a file's values for the flags of one command, by their names.
type settings map[string]setting

// maxSettings bounds a config file, in bytes.
const maxSettings = 1 << 20

// readSettings reads the settings of a command from a file. Those of others must be right,
// too. The empty name is a file without settings.
func readSettings(name, command string) (settings, error) {
	if name == "" {
		return nil, nil
	}
	text, private, err := readFile(name)
	if err != nil {
		return nil, err
	}
	entries, err := parseSettings(name, text)
	if err != nil {
		return nil, err
	}
	commands, err := configurable()
	if err != nil {
		return nil, err
	}
	said := settings{}
	for _, e := range entries {
		flags, err := e.flags(commands)
		if err != nil {
			return nil, err
		}
		if !private && e.secret(flags) {
			return nil, e.fault("%s holds a secret, and every user of this machine may read the file: chmod o-rwx %s", e.key, name)
		}
		if flag := flags[command]; flag != nil && !said[e.key].own {
			if said[e.key], err = e.setting(flag); err != nil {
				return nil, err
			}
		}
	}
	return said, nil
}

func readFile(name string) (text []byte, private bool, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, false, fmt.Errorf("read the settings of --config: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, false, fmt.Errorf("read the settings of --config: %w", err)
	}
	text, err = io.ReadAll(io.LimitReader(file, maxSettings+1))
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("read the settings of --config: %w", err)
	case len(text) > maxSettings:
		return nil, false, fmt.Errorf("%s is longer than 1 MiB: it is no config file", name)
	}
	const others = 0o004
	return text, info.Mode().Perm()&others == 0, nil
}

// entry is a line of a config file.
type entry struct {
	file    string
	line    int
	command string // whose section it is in; "" if it is for all
	key     string
	values  []string // one, unless it is a list
	list    bool
}

// fault returns an error with the place of an entry.
func (e entry) fault(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", e.file, e.line, fmt.Errorf(format, args...))
}

// flags returns the flags that an entry sets, by the commands that have them: one at least.
func (e entry) flags(commands []*kong.Node) (map[string]*kong.Flag, error) {
	var names []string
	flags, typed := map[string]*kong.Flag{}, false
	for _, command := range commands {
		names = append(names, command.Name)
		at := slices.IndexFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == e.key })
		if at >= 0 && (e.command == command.Name || e.command == "" && command.Name != operatorSection) {
			flags[command.Name] = command.Flags[at]
			typed = typed || len(command.Flags[at].Envs) == 0 || e.key == "config"
		}
	}
	known := strings.Join(names, ", ")
	switch {
	case e.command != "" && !slices.Contains(names, e.command):
		return nil, e.fault("%s is no command that reads such a file: those are %s", e.command, known)
	case len(flags) == 0 && e.command == operatorSection:
		return nil, e.fault("%s is no flag that the section for operators may set", e.key)
	case len(flags) == 0 && e.command != "":
		return nil, e.fault("%s is no flag of %s: frontdesk %[2]s --help lists them", e.key, e.command)
	case len(flags) == 0:
		return nil, e.fault("%s is no flag of a command that reads such a file: those are %s", e.key, known)
	case typed:
		return nil, e.fault("%s is typed, and never in a file", e.key)
	}
	return flags, nil
}

// setting returns the value that an entry has for a flag, if the flag takes it.
func (e entry) setting(flag *kong.Flag) (setting, error) {
	text, err := e.typed(flag)
	if err != nil {
		return setting{}, err
	}
	trial := reflect.New(flag.Target.Type()).Elem()
	err = flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: kong.Scan().PushTyped(text, kong.FlagValueToken)}, trial)
	switch {
	case err != nil && flag.Tag.Has(secret):
		return setting{}, e.fault("%s cannot be read", e.key)
	case err != nil:
		return setting{}, e.fault("%s: %w", e.key, err)
	case flag.Enum != "" && !slices.Contains(flag.EnumSlice(), text):
		return setting{}, e.fault("%s must be one of %s", e.key, strings.Join(flag.EnumSlice(), ", "))
	}
	return setting{text, fmt.Sprintf("%s:%d", e.file, e.line), e.command != ""}, nil
}

// typed returns the values of an entry as they would be typed.
func (e entry) typed(flag *kong.Flag) (string, error) {
	switch {
	case !e.list:
		return e.values[0], nil
	case flag.Target.Kind() != reflect.Slice:
		return "", e.fault("%s takes one value", e.key)
	}
	return kong.JoinEscaped(e.values, flag.Tag.Sep), nil
}

// parseSettings reads the entries of a file. Its errors quote no line, which may hold a secret.
func parseSettings(name string, text []byte) ([]entry, error) {
	file, err := parser.ParseBytes(text, 0)
	if fault, ok := errors.AsType[yaml.Error](err); ok {
		return nil, entry{file: name, line: lineOf(fault)}.fault("this is no YAML: %s", fault.GetMessage())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: this is no YAML", name)
	}
	var all []entry
	for _, document := range file.Docs {
		entries, err := entriesOf(name, "", document.Body)
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
	}
	return all, nil
}

func lineOf(fault yaml.Error) int {
	if token := fault.GetToken(); token != nil && token.Position != nil {
		return token.Position.Line
	}
	return 1
}

// entriesOf returns the entries of a mapping: of the file, or of one command in it.
func entriesOf(file, command string, node ast.Node) (all []entry, err error) {
	switch node := node.(type) {
	case nil, *ast.CommentGroupNode:
		return nil, nil
	case *ast.MappingNode:
		for _, pair := range node.Values {
			entries, err := entriesAt(file, command, pair)
			if err != nil {
				return nil, err
			}
			all = append(all, entries...)
		}
		return all, nil
	}
	return nil, entry{file: file, line: node.GetToken().Position.Line}.fault("write flags, each as its name, a colon and its value")
}

func entriesAt(file, command string, pair *ast.MappingValueNode) ([]entry, error) {
	token := pair.Key.GetToken()
	e := entry{file: file, line: token.Position.Line, command: command, key: token.Value}
	if below, ok := pair.Value.(*ast.MappingNode); ok && command == "" {
		return entriesOf(file, e.key, below)
	}
	var ok bool
	if e.values, ok = valuesAt(pair.Value); !ok {
		return nil, e.fault("%s needs a value, or a list of values", e.key)
	}
	_, e.list = pair.Value.(*ast.SequenceNode)
	return []entry{e}, nil
}

// valuesAt returns a plain value, or those of a list, as they are written.
func valuesAt(node ast.Node) (values []string, ok bool) {
	switch node := node.(type) {
	case *ast.StringNode:
		return []string{node.Value}, true
	case *ast.LiteralNode:
		return []string{strings.TrimSuffix(node.Value.Value, "\n")}, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return []string{node.GetToken().Value}, true
	case *ast.SequenceNode:
		for _, item := range node.Values {
			value, ok := valuesAt(item)
			if !ok || len(value) != 1 {
				return nil, false
			}
			values = append(values, value...)
		}
		return values, len(values) > 0
	}
	return nil, false
}
