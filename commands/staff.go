package commands

import (
	"context"
	"time"

	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// Staff finds members of staff by the usernames that they sign in with, and what they
// have authorised. Events hold only their identifiers.
type Staff interface {
	// StaffByUsername returns the active member of staff with that username, or
	// staff.ErrUnknown.
	StaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error)
	// AnyStaffByUsername returns the member of staff with that username, even if
	// they have left, because nobody else is ever given it. It returns
	// staff.ErrUnknown if there never was one.
	AnyStaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error)
	// AuthorisationsOf returns the current authorisations that a member has given.
	AuthorisationsOf(ctx context.Context, tenant string, member staff.ID, now time.Time) ([]authorisation.Subject, error)
}

// Passwords keeps hashes of passwords, outside the log.
type Passwords interface {
	// Keep hashes a password and keeps the hash. Nobody can sign in with it until
	// the event that it returns is in the log.
	Keep(ctx context.Context, tenant string, member staff.ID, password string) (staff.PasswordSet, error)
	// Discard deletes every hash of a member except that of one credential, and ends
	// what was begun with the others.
	Discard(ctx context.Context, tenant string, member staff.ID, but staff.CredentialID) error
}

// RegisterStaff makes somebody a member of staff of a practice.
type RegisterStaff struct {
	Tenant        string
	Username      string
	Name          string
	Email         string
	Administrator bool
	Password      string // "" for none yet, so that they cannot sign in
}

// RegisterStaff returns the identifier of the new member of staff. It refuses a username
// that somebody has or had with staff.ErrUsernameTaken.
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
		kept, err := d.keepPassword(ctx, c.Tenant, id, event.Fold[staff.Member](events...), c.Password)
		if err != nil {
			return staff.ID{}, err
		}
		events = append(events, kept)
	}
	return id, d.begin(ctx, staff.StreamOf(c.Tenant, id), events...)
}

// SetPassword gives a member of staff another password. It ends their sessions, makes
// the browsers that they have used strangers', and ends their authorisations.
type SetPassword struct {
	Tenant             string
	Username           string
	Password           string
	KeepAuthorisations bool
}

// SetPassword keeps the new hash before the append and discards the old ones after it,
// so that nothing slow happens in the append itself. Authorisations are ended last,
// when nobody is signed in who could give another one. It returns those that it has
// ended. After an error it can be asked again.
func (d Desk) SetPassword(ctx context.Context, c SetPassword) (ended []authorisation.Subject, err error) {
	id, err := d.Staff.StaffByUsername(ctx, c.Tenant, c.Username)
	if err != nil {
		return nil, err
	}
	if err := d.replacePassword(ctx, c, id); err != nil {
		return nil, err
	}
	if c.KeepAuthorisations {
		return nil, nil
	}
	return d.revokeAll(ctx, c.Tenant, id, authorisation.PasswordReset)
}

func (d Desk) replacePassword(ctx context.Context, c SetPassword, id staff.ID) error {
	member, err := Load[staff.Member](ctx, d.Store, staff.StreamOf(c.Tenant, id))
	if err != nil {
		return err
	}
	kept, err := d.keepPassword(ctx, c.Tenant, id, member, c.Password)
	if err != nil {
		return err
	}
	err = Update(ctx, d.Store, staff.StreamOf(c.Tenant, id), func(m staff.Member) ([]event.Event, error) {
		return m.SetPassword(kept)
	})
	if err != nil {
		return err
	}
	return d.Passwords.Discard(ctx, c.Tenant, id, kept.Credential)
}

// keepPassword checks a password against the rules and keeps its hash.
func (d Desk) keepPassword(ctx context.Context, tenant string, id staff.ID, m staff.Member, password string) (staff.PasswordSet, error) {
	p, err := Load[practice.Practice](ctx, d.Store, practice.StreamOf(tenant))
	if err != nil {
		return staff.PasswordSet{}, err
	}
	if err := staff.CheckPassword(password, m.Known(tenant, p.Name())); err != nil {
		return staff.PasswordSet{}, err
	}
	return d.Passwords.Keep(ctx, tenant, id, password)
}

// DeactivateStaff ends everything that a member of staff may do, and what applications
// may do for them.
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
