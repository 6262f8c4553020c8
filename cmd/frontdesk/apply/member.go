package apply

import (
	"context"
	"slices"

	"frontdesk/commands"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

var (
	errNeedsLinks = wrong("a member who comes back chooses a password by a link: name a file for it with --links")
	errHasLeft    = wrong("has left, and stays as they are: active: true would bring them back")
	errNewLeaver  = wrong("no one with this username works here: remove them from the file")
)

// ofMember returns the steps of a member of staff. The person is zero if no one has that
// username.
func (w *work) ofMember(d *document, at string, m Member, current projections.Person) []step {
	tenant := d.practice.Tenant
	if current.Staff == (staff.ID{}) {
		return []step{{settles, at + ".", func(ctx context.Context) error { return w.hire(ctx, tenant, m) }}}
	}
	return []step{
		{settles, at + ".username", func(context.Context) error { return w.once("username", m.Username) }},
		{settles, at + ".name", func(context.Context) error { return fixed("the name of this member of staff", m.Name, current.Name) }},
		{settles, at + ".email", func(context.Context) error {
			return fixed("the email address of this member of staff", m.Email, current.Email)
		}},
		{settles, at + ".active", func(ctx context.Context) error { return w.employ(ctx, d, at, m, &current) }},
		{settles, at + ".roles", func(ctx context.Context) error { return w.roles(ctx, tenant, m, current) }},
	}
}

// hire adds a member of staff.
func (w *work) hire(ctx context.Context, tenant string, m Member) error {
	if err := w.once("username", m.Username); err != nil {
		return err
	}
	if m.Active != nil && !*m.Active {
		return errNewLeaver
	}
	var roles staff.Roles
	if m.Roles != nil {
		roles = *m.Roles
	}
	if !w.invites {
		_, err := w.desk.RegisterStaff(ctx, commands.RegisterStaff{Tenant: tenant, Username: m.Username, Name: m.Name, Email: m.Email, Roles: roles})
		return err
	}
	return w.invite(w.desk.InviteStaff(ctx, commands.InviteStaff{Tenant: tenant, Username: m.Username, Name: m.Name, Email: m.Email, Roles: roles}))
}

// invite keeps a link until it is handed over.
func (w *work) invite(i commands.Invitation, err error) error {
	if err == nil {
		w.invited = append(w.invited, i)
	}
	return err
}

// employ lets a former member return, or a member leave, if the document declares it. A
// member who has never had a way to sign in is invited.
func (w *work) employ(ctx context.Context, d *document, at string, m Member, current *projections.Person) error {
	tenant, wanted := d.practice.Tenant, current.Active
	if m.Active != nil {
		wanted = *m.Active
	}
	switch {
	case !current.Active && !wanted && m.Active == nil:
		w.notes = append(w.notes, d.faultAt(at+".username", errHasLeft))
	case current.Active && !wanted:
		current.Active = false
		return w.desk.DeactivateStaff(ctx, commands.DeactivateStaff{Tenant: tenant, Username: m.Username})
	case !current.Active && wanted && !w.invites:
		return errNeedsLinks
	case !current.Active && wanted:
		current.Active = true
		w.desk.Staff = returning{w.desk.Staff, m.Username}
		return w.invite(w.desk.ReactivateStaff(ctx, commands.ReactivateStaff{Tenant: tenant, Username: m.Username}))
	case current.Active && w.invites && !current.SignsIn && current.LinkUntil.IsZero():
		return w.invite(w.desk.InviteAgain(ctx, commands.InviteAgain{Tenant: tenant, Username: m.Username}))
	}
	return nil
}

// roles gives them the roles of the document, unless they have left.
func (w *work) roles(ctx context.Context, tenant string, m Member, current projections.Person) error {
	if m.Roles == nil || !current.Active {
		return nil
	}
	roles, err := staff.RolesOf(*m.Roles...)
	if err != nil || slices.Equal(roles, current.Roles) {
		return err
	}
	return w.desk.SetStaffRoles(ctx, commands.SetStaffRoles{Tenant: tenant, Username: m.Username, Roles: roles})
}

// returning finds a person who returns in the same append, which no read model shows yet.
type returning struct {
	commands.Staff
	username string
}

func (r returning) StaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error) {
	if username == r.username {
		return r.AnyStaffByUsername(ctx, tenant, username)
	}
	return r.Staff.StaffByUsername(ctx, tenant, username)
}
