package practice

import (
	"context"
	"strings"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/authorisation"
)

// StaffCommands are what can be typed about staff.
type StaffCommands struct {
	ListStaff       listStaffCmd       `cmd:"" group:"staff" help:"List the staff of a practice: usernames, roles and whether they can sign in."`
	RegisterStaff   registerStaffCmd   `cmd:"" group:"staff" help:"Make somebody a member of staff."`
	SetPassword     setPasswordCmd     `cmd:"" group:"staff" help:"Set the password of a member of staff; their sessions and authorisations end."`
	InviteStaff     inviteStaffCmd     `cmd:"" group:"staff" help:"Make somebody a member of staff, and print a link by which they choose a password."`
	InviteAgain     inviteAgainCmd     `cmd:"" group:"staff" help:"Print another link for somebody who has chosen no password yet; the one that they had ends."`
	ResetStaff      resetStaffCmd      `cmd:"" group:"staff" help:"End how a member of staff signs in, and print a link by which they choose another password."`
	SetStaffRoles   setStaffRolesCmd   `cmd:"" group:"staff" help:"Say which roles a member of staff has."`
	DeactivateStaff deactivateStaffCmd `cmd:"" group:"staff" help:"End what a member of staff may do, at once."`
	ReactivateStaff reactivateStaffCmd `cmd:"" group:"staff" help:"Let a member of staff who has left act again, and print a link by which they choose a password."`
}

type registerStaffCmd struct {
	newStaffFlags `embed:""`
	PasswordStdin bool `help:"Also set their password: one line of standard input."`
}

func (c *registerStaffCmd) Run(r *term.Run) (err error) {
	password := ""
	if c.PasswordStdin {
		if password, err = r.ReadPassword(true); err != nil {
			return err
		}
	}
	return term.Create(r, c.SealingFlags, "staffId", commands.Desk.RegisterStaff, commands.RegisterStaff{
		Tenant: c.Tenant, Username: c.Username, Name: c.Name, Email: c.Email, Roles: c.Role, Password: password,
	})
}

type setPasswordCmd struct {
	usernameFlags      `embed:""`
	PasswordStdin      bool `help:"The password is one line of standard input; without this it is asked for at the terminal."`
	KeepAuthorisations bool `help:"Let applications go on acting for them."`
}

func (c *setPasswordCmd) Run(r *term.Run) error {
	password, err := r.ReadPassword(c.PasswordStdin)
	if err != nil {
		return err
	}
	return c.Do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		ended, err := desk.SetPassword(ctx, commands.SetPassword{
			Tenant: c.Tenant, Username: c.Username, Password: password, KeepAuthorisations: c.KeepAuthorisations,
		})
		return term.Made{"endedAuthorisations": append(subjects{}, ended...)}, err
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
	usernameFlags `embed:""`
}

func (c *deactivateStaffCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.DeactivateStaff, commands.DeactivateStaff{Tenant: c.Tenant, Username: c.Username})
}
