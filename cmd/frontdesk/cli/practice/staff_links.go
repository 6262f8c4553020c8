package practice

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb"
	"frontdesk/adapters/staffweb/account"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/staff"
)

// newStaffFlags describe a person who joins a practice.
type newStaffFlags struct {
	term.SealingFlags `embed:""`
	Username          string `required:"" help:"Their username."`
	Name              string `required:"" help:"Their name, as others see it."`
	Email             string `required:"" help:"Their email address."`
	roleFlag          `embed:""`
}

// roleFlag gives a member of staff roles at the practice.
type roleFlag struct {
	Role []staff.Role `sep:"none" placeholder:"ROLE" help:"Role: receptionist, clinician, manager or privacy-officer. Repeat for several. Default: none."`
}

// usernameFlags name a member of staff.
type usernameFlags struct {
	term.PracticeFlags `embed:""`
	Username           string `required:"" help:"Their username."`
}

// lastManager warns of a practice that would have no manager.
func (f usernameFlags) lastManager(ctx context.Context, engine *app.Engine) (string, error) {
	others, err := engine.People().HasManager(ctx, f.Tenant, f.Username)
	if err != nil || others {
		return "", err
	}
	return "The practice then has no manager who can sign in.", nil
}

// linkFlag is where the practices' pages are, for the address of a link.
type linkFlag struct {
	AuthURL string `name:"auth-url" placeholder:"URL" help:"URL of the staff pages, as in serve --auth-url. Without it, only the path of the link is printed."`
}

type inviteStaffCmd struct {
	newStaffFlags `embed:""`
	linkFlag      `embed:""`
}

func (c *inviteStaffCmd) Run(r *term.Run) error {
	return invite(r, c.SealingFlags, c.linkFlag, commands.Desk.InviteStaff, commands.InviteStaff{
		Tenant: c.Tenant, Username: c.Username, Name: c.Name, Email: c.Email, Roles: c.Role,
	})
}

type inviteAgainCmd struct {
	usernameFlags `embed:""`
	linkFlag      `embed:""`
}

func (c *inviteAgainCmd) Run(r *term.Run) error {
	return invite(r, c.PracticeFlags, c.linkFlag, commands.Desk.InviteAgain, commands.InviteAgain{Tenant: c.Tenant, Username: c.Username})
}

type resetStaffCmd struct {
	usernameFlags `embed:""`
	linkFlag      `embed:""`
}

func (c *resetStaffCmd) Run(r *term.Run) error {
	return invite(r, c.PracticeFlags, c.linkFlag, commands.Desk.ResetStaff, commands.ResetStaff{Tenant: c.Tenant, Username: c.Username})
}

type resetRequestCmd struct {
	usernameFlags `embed:""`
}

func (c *resetRequestCmd) Run(r *term.Run) error {
	return term.Create(r, c.PracticeFlags, "resetId", commands.Desk.RequestReset, commands.RequestReset{Tenant: c.Tenant, Username: c.Username})
}

type withdrawResetCmd struct {
	term.PracticeFlags `embed:""`
	Staff              uuid.UUID `required:"" name:"staff-id" placeholder:"ID" help:"The member of staff."`
	Reset              uuid.UUID `required:"" name:"reset-id" placeholder:"ID" help:"The request, as staff request-reset prints it."`
}

func (c *withdrawResetCmd) Run(r *term.Run) error {
	return term.Change(r, c.EngineFlags, c.Tenant, commands.Desk.WithdrawReset, commands.WithdrawReset{
		Tenant: c.Tenant, Staff: staff.ID{UUID: c.Staff}, Reset: staff.ResetID{UUID: c.Reset},
	})
}

type reactivateStaffCmd struct {
	usernameFlags `embed:""`
	linkFlag      `embed:""`
}

func (c *reactivateStaffCmd) Run(r *term.Run) error {
	return invite(r, c.PracticeFlags, c.linkFlag, commands.Desk.ReactivateStaff, commands.ReactivateStaff{Tenant: c.Tenant, Username: c.Username})
}

type setStaffRolesCmd struct {
	usernameFlags    `embed:""`
	roleFlag         `embed:""`
	term.TakingFlags `embed:""`
}

func (c *setStaffRolesCmd) Run(r *term.Run) error {
	warning := c.lastManager
	if slices.Contains(c.Role, staff.Manager) {
		warning = nil
	}
	return term.TakeAway(r, c.EngineFlags, c.TakingFlags, term.Taking[commands.SetStaffRoles]{
		Tenant: c.Tenant, Follows: "They then have exactly these roles.",
		Warning: warning,
		Intent:  commands.Desk.SetStaffRoles, Given: commands.SetStaffRoles{Tenant: c.Tenant, Username: c.Username, Roles: c.Role},
	})
}

// invite passes an intent to the desk that makes a link for a member of staff, and prints
// the link, which cannot be printed a second time.
func invite[T any](r *term.Run, f term.Practice, l linkFlag, intent func(commands.Desk, context.Context, T) (commands.Invitation, error), given T) error {
	base, err := l.base()
	if err != nil {
		return err
	}
	return f.Do(r, app.Config{}, f.TenantID(), func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		i, err := intent(desk, ctx, given)
		return term.Made{"staffId": i.Staff, "link": base + account.LinkPath(f.TenantID(), i.Secret), "expiresAt": i.ExpiresAt}, err
	})
}

// base returns the part before the path of a link; "" if the address of the pages is unknown.
func (l linkFlag) base() (string, error) {
	if l.AuthURL == "" {
		return "", nil
	}
	if _, err := staffweb.ParseURL(l.AuthURL); err != nil {
		return "", fmt.Errorf("read --auth-url: %w", err)
	}
	return strings.TrimRight(l.AuthURL, "/"), nil
}
