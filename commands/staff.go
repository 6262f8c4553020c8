package commands

import (
	"context"
	"time"

	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// Staff finds members of staff by their usernames, and their authorisations. Events
// hold only their identifiers.
type Staff interface {
	StaffNames
	// AuthorisationsOf returns the current authorisations that a member has given.
	AuthorisationsOf(ctx context.Context, tenant string, member staff.ID, now time.Time) ([]authorisation.Subject, error)
	// HadPassword reports whether any of a practice's staff has or had a password.
	HadPassword(ctx context.Context, tenant string) (bool, error)
}

// StaffNames looks up members of staff and their names.
type StaffNames interface {
	// StaffByUsername returns the active member of staff with that username, or
	// staff.ErrUnknown.
	StaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error)
	// AnyStaffByUsername returns the member of staff with that username, even if they
	// have left, because a username is never reused. It returns staff.ErrUnknown if it
	// was never used.
	AnyStaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error)
	// NamesOf returns the username and the name of a member of staff, or
	// staff.ErrUnknown. No state has them, because they are personal.
	NamesOf(ctx context.Context, tenant string, member staff.ID) (username, name string, err error)
}

// Passwords stores hashes of passwords, outside the log.
type Passwords interface {
	// Keep hashes a password and stores the hash. The password works only once the
	// event that it returns is in the log.
	Keep(ctx context.Context, tenant string, member staff.ID, password string) (staff.PasswordSet, error)
	// Discard deletes every hash of a member except that of one credential, and ends
	// the sessions of the others.
	Discard(ctx context.Context, tenant string, member staff.ID, but staff.CredentialID) error
}

// RegisterStaff registers a member of staff of a practice.
type RegisterStaff struct {
	Tenant   string
	Username string
	Name     string
	Email    string
	Roles    staff.Roles
	Password string // "" for none yet, so that they cannot sign in
}

// RegisterStaff returns the identifier of the new member of staff. It refuses a
// username that is or was in use with staff.ErrUsernameTaken.
func (d Desk) RegisterStaff(ctx context.Context, c RegisterStaff) (staff.ID, error) {
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return staff.ID{}, err
	}
	id := staff.ID{UUID: event.NewID()}
	events, err := registered(staff.Registered{Username: c.Username, Name: c.Name, Email: c.Email}, c.Roles)
	if err != nil {
		return staff.ID{}, err
	}
	if c.Password != "" {
		kept, err := d.keepPassword(ctx, id, staff.Known{Username: c.Username, Name: c.Name, Tenant: c.Tenant}, c.Password)
		if err != nil {
			return staff.ID{}, err
		}
		events = append(events, kept)
	}
	return id, d.begin(ctx, staff.StreamOf(c.Tenant, id), events...)
}

// registered are the first events of a member of staff with these roles.
func registered(r staff.Registered, roles staff.Roles) ([]event.Event, error) {
	roles, err := staff.RolesOf(roles...)
	if err != nil {
		return nil, err
	}
	events, err := staff.Register(r)
	if err != nil {
		return nil, err
	}
	set, err := event.Fold[staff.Member](events...).SetRoles(roles)
	return append(events, set...), err
}

// SetPassword sets another password of a member of staff. It ends their sessions,
// forgets the browsers that they have used, and ends their authorisations.
type SetPassword struct {
	Tenant             string
	Username           string
	Password           string
	KeepAuthorisations bool
}

// SetPassword stores the new hash before the append and discards the old ones after it,
// so that nothing slow happens in the append itself. It ends authorisations last, when
// no session is left that could give another one. It returns those that it has ended.
// It can be repeated after an error.
func (d Desk) SetPassword(ctx context.Context, c SetPassword) (ended []authorisation.Subject, err error) {
	id, err := d.Staff.StaffByUsername(ctx, c.Tenant, c.Username)
	if err != nil {
		return nil, err
	}
	if _, err := d.newPassword(ctx, c.Tenant, id, c.Password, staff.Member.SetPassword); err != nil {
		return nil, err
	}
	if c.KeepAuthorisations {
		return nil, nil
	}
	return d.revokeAll(ctx, c.Tenant, id, authorisation.PasswordReset)
}

// ChangePassword sets another password of a member of staff, in place of the one that
// they have just entered. It ends the same as SetPassword.
type ChangePassword struct {
	Tenant   string
	Staff    staff.ID
	Shown    staff.CredentialID
	Password string
}

// ChangePassword returns the new password's name. It refuses with
// staff.ErrPasswordEnded if the entered password is no longer valid. After any other
// error the new password may be valid already.
func (d Desk) ChangePassword(ctx context.Context, c ChangePassword) (staff.CredentialID, error) {
	change := func(m staff.Member, kept staff.PasswordSet) ([]event.Event, error) {
		return m.ChangePassword(c.Shown, kept)
	}
	chosen, err := d.newPassword(ctx, c.Tenant, c.Staff, c.Password, change)
	if err != nil {
		return staff.CredentialID{}, err
	}
	_, err = d.revokeAll(ctx, c.Tenant, c.Staff, authorisation.PasswordReset)
	return chosen, err
}

// newPassword sets a password by a decision, and returns its name.
func (d Desk) newPassword(ctx context.Context, tenant string, id staff.ID, password string,
	decide func(staff.Member, staff.PasswordSet) ([]event.Event, error),
) (staff.CredentialID, error) {
	username, name, err := d.Staff.NamesOf(ctx, tenant, id)
	if err != nil {
		return staff.CredentialID{}, err
	}
	kept, err := d.keepPassword(ctx, id, staff.Known{Username: username, Name: name, Tenant: tenant}, password)
	if err != nil {
		return staff.CredentialID{}, err
	}
	err = Update(ctx, d.Store, staff.StreamOf(tenant, id), func(m staff.Member) ([]event.Event, error) {
		return decide(m, kept)
	})
	if err != nil {
		return staff.CredentialID{}, err
	}
	return kept.Credential, d.Passwords.Discard(ctx, tenant, id, kept.Credential)
}

// keepPassword checks a password against the rules and stores its hash.
func (d Desk) keepPassword(ctx context.Context, id staff.ID, of staff.Known, password string) (staff.PasswordSet, error) {
	p, err := Load[practice.Practice](ctx, d.Store, practice.StreamOf(of.Tenant))
	if err != nil {
		return staff.PasswordSet{}, err
	}
	of.Practice = p.Name()
	if err := staff.CheckPassword(password, of); err != nil {
		return staff.PasswordSet{}, err
	}
	return d.Passwords.Keep(ctx, of.Tenant, id, password)
}

// SetStaffRoles replaces the roles of a member of staff.
type SetStaffRoles struct {
	Tenant   string
	Username string
	Roles    staff.Roles
}

// SetStaffRoles takes effect with the next page that the member of staff requests.
func (d Desk) SetStaffRoles(ctx context.Context, c SetStaffRoles) error {
	roles, err := staff.RolesOf(c.Roles...)
	if err != nil {
		return err
	}
	id, err := d.Staff.StaffByUsername(ctx, c.Tenant, c.Username)
	if err != nil {
		return err
	}
	return Update(ctx, d.Store, staff.StreamOf(c.Tenant, id), func(m staff.Member) ([]event.Event, error) {
		return m.SetRoles(roles)
	})
}

// DeactivateStaff ends all rights of a member of staff, and those of applications that
// act for them.
type DeactivateStaff struct {
	Tenant   string
	Username string
}

// DeactivateStaff changes nothing if the member has left already.
func (d Desk) DeactivateStaff(ctx context.Context, c DeactivateStaff) error {
	id, err := d.Staff.AnyStaffByUsername(ctx, c.Tenant, c.Username)
	if err != nil {
		return err
	}
	return Update(ctx, d.Store, staff.StreamOf(c.Tenant, id), staff.Member.Deactivate)
}
