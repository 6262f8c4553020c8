package cli

import (
	"context"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
)

type registerStaffCmd struct {
	engineFlags   `embed:""`
	Tenant        string `required:"" help:"The practice's tenant identifier."`
	Username      string `required:"" help:"What they sign in with."`
	Name          string `required:"" help:"Their name, as others see it."`
	Email         string `required:"" help:"Their e-mail address."`
	Administrator bool   `help:"They are a practice administrator."`
	PasswordStdin bool   `help:"Also set their password: one line of standard input."`
}

// Run carries the command out.
func (c *registerStaffCmd) Run(r *run) (err error) {
	password := ""
	if c.PasswordStdin {
		if password, err = r.readPassword(true); err != nil {
			return err
		}
	}
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		id, err := desk.RegisterStaff(ctx, commands.RegisterStaff{
			Tenant: c.Tenant, Username: c.Username, Name: c.Name, Email: c.Email, Administrator: c.Administrator,
			Password: password,
		})
		return made{"staffId": id}, err
	})
}

type setPasswordCmd struct {
	engineFlags   `embed:""`
	Tenant        string `required:"" help:"The practice's tenant identifier."`
	Username      string `required:"" help:"What they sign in with."`
	PasswordStdin bool   `help:"The password is one line of standard input; without this it is asked for at the terminal."`
}

// Run carries the command out.
func (c *setPasswordCmd) Run(r *run) error {
	password, err := r.readPassword(c.PasswordStdin)
	if err != nil {
		return err
	}
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.SetPassword(ctx, commands.SetPassword{Tenant: c.Tenant, Username: c.Username, Password: password})
	})
}

type deactivateStaffCmd struct {
	engineFlags `embed:""`
	Tenant      string `required:"" help:"The practice's tenant identifier."`
	Username    string `required:"" help:"The username of the member of staff."`
}

// Run carries the command out.
func (c *deactivateStaffCmd) Run(r *run) error {
	return c.do(r, app.Config{}, c.Tenant, func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.DeactivateStaff(ctx, commands.DeactivateStaff{Tenant: c.Tenant, Username: c.Username})
	})
}
