package practice

import (
	"context"
	"strings"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/authorisation"
)

// StaffCommands are the verbs of staff.
type StaffCommands struct {
	List          listStaffCmd       `cmd:"" help:"List the staff of a practice." detail:"It prints usernames, roles and whether they can sign in."`
	Register      registerStaffCmd   `cmd:"" help:"Register a member of staff."`
	Invite        inviteStaffCmd     `cmd:"" help:"Register a member of staff by a link." detail:"It prints the link, by which they choose a password."`
	InviteAgain   inviteAgainCmd     `cmd:"" help:"Print a new link for an invited person." detail:"For staff who have not chosen a password yet. Their previous link ends."`
	Reset         resetStaffCmd      `cmd:"" help:"Reset the sign-in of a member of staff." detail:"They can no longer sign in as before. It prints a link by which they choose another password. Staff with a passkey need a request first."`
	RequestReset  resetRequestCmd    `cmd:"" help:"Request a reset of staff with a passkey." detail:"A second person, or 24 hours, must follow. The same is needed to reactivate them."`
	WithdrawReset withdrawResetCmd   `cmd:"" help:"Withdraw a request for a reset."`
	SetPassword   setPasswordCmd     `cmd:"" help:"Set the password of a member of staff." detail:"Their sessions and authorisations end."`
	SetRoles      setStaffRolesCmd   `cmd:"" help:"Set the roles of a member of staff."`
	Deactivate    deactivateStaffCmd `cmd:"" help:"Deactivate a member of staff at once."`
	Reactivate    reactivateStaffCmd `cmd:"" help:"Reactivate a member of staff who has left." detail:"It prints a link by which they choose a password."`
}

type registerStaffCmd struct {
	newStaffFlags `embed:""`
	PasswordStdin bool `help:"Also set their password, from one line of standard input."`
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
	PasswordStdin      bool `help:"Read the password from one line of standard input. Without it, the terminal asks for the password."`
	KeepAuthorisations bool `help:"Keep the authorisations of applications that act for them."`
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
	usernameFlags    `embed:""`
	term.TakingFlags `embed:""`
}

func (c *deactivateStaffCmd) Run(r *term.Run) error {
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.DeactivateStaff]{
		Tenant: c.Tenant, Follows: "They can no longer sign in, and applications can no longer act for them.",
		Warning: c.lastManager,
		Intent:  commands.Desk.DeactivateStaff, Given: commands.DeactivateStaff{Tenant: c.Tenant, Username: c.Username},
	})
}
