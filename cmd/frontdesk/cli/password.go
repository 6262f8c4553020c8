package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"frontdesk/domain/fault"
)

// What is wrong with how a password was given.
var (
	errNoPassword = fault.New(fault.Invalid, "no-password",
		"Run this at a terminal, or give the password on standard input with --password-stdin.")
	errPasswordsDiffer = fault.New(fault.Invalid, "passwords-differ", "The two passwords are not the same.")
)

// passwordBytes bounds what is read as a password.
const passwordBytes = 4 << 10

// readPassword asks for a password where there is a terminal, and reads one
// line of standard input where the command line says so. A password is never a
// flag: command lines are in everybody's list of processes.
func (r *run) readPassword(stdin bool) (string, error) {
	if file, ok := r.In.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return r.promptPassword(file)
	}
	if !stdin {
		return "", errNoPassword
	}
	data, err := io.ReadAll(io.LimitReader(r.In, passwordBytes))
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	line := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if line == "" {
		return "", errNoPassword
	}
	return line, nil
}

func (r *run) promptPassword(terminal *os.File) (string, error) {
	var typed [2]string
	for i, prompt := range []string{"Password: ", "The same again: "} {
		fmt.Fprint(r.Err, prompt)
		line, err := term.ReadPassword(int(terminal.Fd()))
		fmt.Fprintln(r.Err)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read password: %w", err)
		}
		typed[i] = string(line)
	}
	if typed[0] != typed[1] {
		return "", errPasswordsDiffer
	}
	return typed[0], nil
}
