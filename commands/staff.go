package commands

import (
	"context"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// Staff finds members of staff by the names they sign in with. Events hold
// their identifiers alone.
type Staff interface {
	// StaffByUsername is the active member of staff of that username;
	// staff.ErrUnknown if there is none.
	StaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error)
	// AnyStaffByUsername is the member of staff of that username, who may have
	// left: a username is never given to another. It is staff.ErrUnknown if
	// there never was one.
	AnyStaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error)
}

// Passwords keeps hashes of passwords, outside the log.
type Passwords interface {
	// Keep hashes a password and keeps the hash. It counts for nothing until
	// the log names the credential.
	Keep(ctx context.Context, tenant string, member staff.ID, password string) (staff.CredentialID, error)
	// Discard forgets every hash of a member except that of one credential.
	Discard(ctx context.Context, tenant string, member staff.ID, but staff.CredentialID) error
}

// RegisterStaff makes somebody a member of staff of a practice.
type RegisterStaff struct {
	Tenant        string
	Username      string
	Name          string
	Email         string
	Administrator bool
	Password      string // "" for none yet: they cannot sign in
}

// RegisterStaff returns the identifier minted for the member of staff. The
// store refuses a taken username with staff.ErrUsernameTaken.
func (d Desk) RegisterStaff(ctx context.Context, c RegisterStaff) (staff.ID, error) {
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return staff.ID{}, err
	}
	id := staff.ID{UUID: event.NewID()}
	events, err := staff.Register(staff.Registered{
		Username: c.Username, Name: c.Name, Email: c.Email, Administrator: c.Administrator,
	})
	if err != nil {
		return staff.ID{}, err
	}
	if c.Password != "" {
		credential, err := d.keepPassword(ctx, c.Tenant, id, c.Username, c.Password)
		if err != nil {
			return staff.ID{}, err
		}
		events = append(events, staff.PasswordSet{Credential: credential})
	}
	return id, d.begin(ctx, staff.StreamOf(c.Tenant, id), events...)
}

// SetPassword gives a member of staff another password. Their sessions end
// with the old one.
type SetPassword struct {
	Tenant   string
	Username string
	Password string
}

// SetPassword does nothing slow in the append: the hash is kept before it, and
// the old ones are discarded after it.
func (d Desk) SetPassword(ctx context.Context, c SetPassword) error {
	id, err := d.Staff.StaffByUsername(ctx, c.Tenant, c.Username)
	if err != nil {
		return err
	}
	credential, err := d.keepPassword(ctx, c.Tenant, id, c.Username, c.Password)
	if err != nil {
		return err
	}
	err = Update(ctx, d.Store, staff.StreamOf(c.Tenant, id), func(m staff.Member) ([]event.Event, error) {
		return m.SetPassword(credential)
	})
	if err != nil {
		return err
	}
	return d.Passwords.Discard(ctx, c.Tenant, id, credential)
}

func (d Desk) keepPassword(ctx context.Context, tenant string, id staff.ID, username, password string) (staff.CredentialID, error) {
	if err := staff.CheckPassword(username, password); err != nil {
		return staff.CredentialID{}, err
	}
	return d.Passwords.Keep(ctx, tenant, id, password)
}

// DeactivateStaff ends what a member of staff may do, and their authorisations
// with it.
type DeactivateStaff struct {
	Tenant   string
	Username string
}

// DeactivateStaff changes nothing for whoever has left already.
func (d Desk) DeactivateStaff(ctx context.Context, c DeactivateStaff) error {
	id, err := d.Staff.AnyStaffByUsername(ctx, c.Tenant, c.Username)
	if err != nil {
		return err
	}
	return Update(ctx, d.Store, staff.StreamOf(c.Tenant, id), staff.Member.Deactivate)
}
