package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/fault"
)

// staffCommands are what can be typed about staff.
type staffCommands struct {
	RegisterStaff   registerStaffCmd   `cmd:"" group:"staff" help:"Make somebody a member of staff."`
	SetPassword     setPasswordCmd     `cmd:"" group:"staff" help:"Set the password of a member of staff; their sessions and authorisations end."`
	DeactivateStaff deactivateStaffCmd `cmd:"" group:"staff" help:"End what a member of staff may do, at once."`
}

type registerStaffCmd struct {
	practiceFlags `embed:""`
	Username      string `required:"" help:"What they sign in with."`
	Name          string `required:"" help:"Their name, as others see it."`
	Email         string `required:"" help:"Their e-mail address."`
	Administrator bool   `help:"They are a practice administrator."`
	PasswordStdin bool   `help:"Also set their password: one line of standard input."`
}

func (c *registerStaffCmd) Run(r *run) (err error) {
	password := ""
	if c.PasswordStdin {
		if password, err = r.readPassword(true); err != nil {
			return err
		}
	}
	return create(r, c.practiceFlags, "staffId", commands.Desk.RegisterStaff, commands.RegisterStaff{
		Tenant: c.Tenant, Username: c.Username, Name: c.Name, Email: c.Email, Administrator: c.Administrator,
		Password: password,
	})
}

type setPasswordCmd struct {
	practiceFlags      `embed:""`
	Username           string `required:"" help:"What they sign in with."`
	PasswordStdin      bool   `help:"The password is one line of standard input; without this it is asked for at the terminal."`
	KeepAuthorisations bool   `help:"Let applications go on acting for them."`
}

func (c *setPasswordCmd) Run(r *run) error {
	password, err := r.readPassword(c.PasswordStdin)
	if err != nil {
		return err
	}
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		ended, err := desk.SetPassword(ctx, commands.SetPassword{
			Tenant: c.Tenant, Username: c.Username, Password: password, KeepAuthorisations: c.KeepAuthorisations,
		})
		return made{"endedAuthorisations": append(subjects{}, ended...)}, err
	})
}

// subjects are authorisations as a command reports them.
type subjects []authorisation.Subject

// String names their applications, and the patients of those that are scoped.
func (s subjects) String() string {
	if len(s) == 0 {
		return "none"
	}
	var texts []string
	for _, a := range s {
		text := "application " + a.Application.String()
		if a.Scoped() {
			text += " for patient " + a.Patient.String()
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

type deactivateStaffCmd struct {
	practiceFlags `embed:""`
	Username      string `required:"" help:"The username of the member of staff."`
}

func (c *deactivateStaffCmd) Run(r *run) error {
	return change(r, c.engineFlags, c.Tenant, commands.Desk.DeactivateStaff, commands.DeactivateStaff{Tenant: c.Tenant, Username: c.Username})
}

// The refusals of how a password was given.
var (
	errNoPassword = fault.New(fault.Invalid, "no-password",
		"Run this at a terminal, or give the password on standard input with --password-stdin.")
	errPasswordsDiffer = fault.New(fault.Invalid, "passwords-differ", "The two passwords are not the same.")
)

// passwordBytes is how much of standard input is read as a password.
const passwordBytes = 4 << 10

// readPassword asks for a password at a terminal. Elsewhere it reads one line of
// standard input, if the command line says so. A password is never a flag:
// everybody at the machine can list the command lines of its processes.
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
