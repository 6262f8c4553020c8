package cli

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"frontdesk/cmd/frontdesk/cli/service"
	"frontdesk/cmd/frontdesk/cli/term"
)

// secret is the tag of a flag whose value is never shown.
const secret = "secret"

// typedFlags are the names of the flags that stand on the command line.
func typedFlags(parsed *kong.Context) map[string]bool {
	typed := map[string]bool{}
	for _, step := range parsed.Path {
		if step.Flag != nil && !step.Resolved {
			typed[step.Flag.Name] = true
		}
	}
	return typed
}

// environmentOf returns the variable that sets a flag; "" if none does.
func environmentOf(flag *kong.Flag) string {
	for _, name := range flag.Tag.Envs {
		if _, set := os.LookupEnv(name); set {
			return name
		}
	}
	return ""
}

// printConfiguration lists the flags of the command with their values and sources.
func printConfiguration(w io.Writer, parsed *kong.Context, file service.ConfigFile) error {
	command := parsed.Selected()
	said, err := readSettings(string(file), command.Name)
	if err != nil {
		return err
	}
	typed, table := typedFlags(parsed), tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, flag := range command.Flags {
		from := "default"
		switch {
		case typed[flag.Name]:
			from = "command line"
		case environmentOf(flag) != "":
			from = environmentOf(flag)
		case said[flag.Name].at != "":
			from = said[flag.Name].at
		}
		if err := term.Row(table, flag.Name, holds(flag), from); err != nil {
			return err
		}
	}
	return table.Flush()
}

// holds is the value of a flag, without secrets.
func holds(flag *kong.Flag) string {
	var text string
	switch value := flag.Target.Interface().(type) {
	case time.Duration:
		text = term.Short(value)
	default:
		text = fmt.Sprint(value)
		if flag.Target.Kind() == reflect.Slice {
			text = strings.Trim(text, "[]")
		}
	}
	switch {
	case text == "":
		return "-"
	case flag.Tag.Has(secret):
		return "[hidden]"
	}
	return withoutPasswords(text)
}

var (
	tokenInURL    = regexp.MustCompile(`((?:nats|tls|wss?)://)[^:/@\s,]+@`)
	passwordInURL = regexp.MustCompile(`(://[^:/@\s,]*):[^/\s]*@`)
	passwordNamed = regexp.MustCompile(`(?i)(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^&\s']+)`)
)

// withoutPasswords hides the passwords in URLs and in connection strings of libpq, and the
// tokens in URLs of NATS.
func withoutPasswords(text string) string {
	text = tokenInURL.ReplaceAllString(text, "$1[hidden]@")
	return passwordNamed.ReplaceAllString(passwordInURL.ReplaceAllString(text, "$1:[hidden]@"), "$1[hidden]")
}

// secret reports whether an entry holds something that strangers must not read.
func (e entry) secret(flags map[string]*kong.Flag) bool {
	text := strings.Join(e.values, ",")
	for _, flag := range flags {
		if flag.Tag.Has(secret) {
			return true
		}
	}
	return withoutPasswords(text) != text
}
