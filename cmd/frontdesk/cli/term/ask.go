package term

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"frontdesk/domain/fault"
)

// The refusals of how a password was given.
var (
	errNoPassword = fault.New(fault.Invalid, "no-password",
		"Run this at a terminal, or give the password on standard input with --password-stdin.")
	errPasswordsDiffer = fault.New(fault.Invalid, "passwords-differ", "The two passwords are not the same.")
)

// passwordBytes is how much of standard input is read as a password.
const passwordBytes = 4 << 10

// ReadPassword asks for a password at a terminal. Elsewhere it reads one line of
// standard input, if a flag asks for that. A password is never a flag:
// every user of the machine can list the command lines of its processes.
func (r *Run) ReadPassword(stdin bool) (string, error) {
	if terminal, ok := r.terminal(); ok {
		return r.promptPassword(terminal)
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

func (r *Run) promptPassword(terminal *os.File) (string, error) {
	var typed [2]string
	for i, prompt := range []string{"Password: ", "The same again: "} {
		line, err := r.ask(terminal, prompt, func() (string, error) {
			line, err := term.ReadPassword(int(terminal.Fd()))
			return string(line), err
		})
		fmt.Fprintln(r.Err)
		if err != nil {
			return "", fmt.Errorf("read password: %w", err)
		}
		typed[i] = line
	}
	if typed[0] != typed[1] {
		return "", errPasswordsDiffer
	}
	return typed[0], nil
}

// The ends of a question that was not answered with yes.
var (
	errUnchanged = errors.New("nothing was changed")
	errStopped   = errors.New("stopped; nothing was changed")
)

// Confirm shows the consequences at a terminal, and returns nil if the answer is yes.
// Without a terminal, the command line has to give --yes.
func (r *Run) Confirm(follows, question string) error {
	terminal, ok := r.terminal()
	if !ok {
		return errors.New(follows + " If that is what you want, give --yes")
	}
	answer, err := r.ask(terminal, follows+"\n"+question+" [y/N] ", func() (string, error) {
		return bufio.NewReader(terminal).ReadString('\n')
	})
	if err != nil {
		return err
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return errUnchanged
	}
	return nil
}

// AtTerminal reports whether someone is there to answer a question.
func (r *Run) AtTerminal() bool {
	_, ok := r.terminal()
	return ok
}

// terminal returns standard input if it is a terminal.
func (r *Run) terminal() (*os.File, bool) {
	file, ok := r.In.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// ask shows a prompt and returns the typed line, or an error if Ctrl-C ends the run
// first. Nothing interrupts the reading of a terminal, so the read is then left to end with
// the process, and the terminal echoes again.
func (r *Run) ask(terminal *os.File, prompt string, read func() (string, error)) (string, error) {
	before, err := term.GetState(int(terminal.Fd()))
	if err != nil {
		return "", fmt.Errorf("ask at the terminal: %w", err)
	}
	fmt.Fprint(r.Err, prompt)
	type answer struct {
		line string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		line, err := read()
		answered <- answer{line, err}
	}()
	select {
	case a := <-answered:
		if errors.Is(a.err, io.EOF) { // Ctrl-D, after a text
			return a.line, nil
		}
		return a.line, a.err
	case <-r.Context.Done():
		_ = term.Restore(int(terminal.Fd()), before)
		return "", errStopped
	}
}
