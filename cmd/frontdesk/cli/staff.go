package cli

import (
	"context"
	"strings"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/staff"
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
	roleFlags     `embed:""`
	PasswordStdin bool `help:"Also set their password: one line of standard input."`
}

func (c *registerStaffCmd) Run(r *run) (err error) {
	password := ""
	if c.PasswordStdin {
		if password, err = r.readPassword(true); err != nil {
			return err
		}
	}
	return create(r, c.practiceFlags, "staffId", commands.Desk.RegisterStaff, commands.RegisterStaff{
		Tenant: c.Tenant, Username: c.Username, Name: c.Name, Email: c.Email, Roles: c.roles(), Password: password,
	})
}

// roleFlags say what a member of staff is at the practice.
type roleFlags struct {
	Role          staff.Roles `sep:"none" placeholder:"ROLE" help:"What they are there: receptionist, clinician, manager or privacy-officer; may be repeated."`
	Administrator bool        `help:"Older word for --role=manager."`
}

func (f roleFlags) roles() staff.Roles {
	if f.Administrator {
		return append(f.Role, staff.Manager)
	}
	return f.Role
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
