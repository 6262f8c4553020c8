package projections

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// Staff keeps the staff of each practice, and finds them by their usernames.
type Staff struct{ DB Querier }

// Name returns the permanent name.
func (Staff) Name() string { return "staff.v1" }

// Project keeps a row for each member of staff, also after they have left.
func (Staff) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case staff.Registered:
		do(`INSERT INTO staff (tenant, staff, username, name, email, administrator) VALUES ($1, $2, $3, $4, $5, $6)`,
			r.Stream.Tenant, r.Stream.ID, usernameIn(r.Stream, e), e.Name, e.Email, e.Administrator)
	case staff.PasswordSet:
		var digest []byte // NULL if there is none
		if !e.Digest.IsZero() {
			digest = e.Digest[:]
		}
		do(`UPDATE staff SET credential = $3, password_digest = $4 WHERE tenant = $1 AND staff = $2`,
			r.Stream.Tenant, r.Stream.ID, e.Credential, digest)
		endLink(r.Stream, do)
	case staff.RolesSet:
		do(`UPDATE staff SET roles = $3, administrator = $4 WHERE tenant = $1 AND staff = $2`,
			r.Stream.Tenant, r.Stream.ID, e.Roles, e.Roles.Has(staff.Manager))
	case staff.Invited:
		keepLink(r.Stream, e.Link, do)
	case staff.Reset:
		endPassword(r.Stream, do)
		endPasskeys(r.Stream, do)
		keepLink(r.Stream, e.Link, do)
	case staff.Deactivated:
		do(`UPDATE staff SET active = false WHERE tenant = $1 AND staff = $2`, r.Stream.Tenant, r.Stream.ID)
		endLink(r.Stream, do)
	case staff.Reactivated:
		do(`UPDATE staff SET active = true WHERE tenant = $1 AND staff = $2`, r.Stream.Tenant, r.Stream.ID)
		endPassword(r.Stream, do)
		endPasskeys(r.Stream, do)
	case staff.Erased:
		forget(r.Stream, do)
	case staff.PasskeyAdded:
		keepPasskey(r, e, do)
	case staff.PasskeyRemoved:
		do(`DELETE FROM staff_passkeys WHERE tenant = $1 AND passkey = $2`, r.Stream.Tenant, e.Passkey)
	}
}

// forget anonymises a row. Usernames are unique, so the row gets a placeholder that no
// one else has. A member that a backup has brought back may not have left yet.
func forget(member event.Stream, do func(sql string, args ...any)) {
	do(`UPDATE staff SET username = $3 || ' ' || staff, name = $3, email = $3, active = false WHERE tenant = $1 AND staff = $2`,
		member.Tenant, member.ID, event.Erased)
	endPassword(member, do)
	endPasskeys(member, do)
	endLink(member, do)
}

// usernameIn returns the username of a registration. Usernames are unique, so each
// erased member has a different placeholder.
func usernameIn(member event.Stream, e staff.Registered) string {
	if e.Username == event.Erased {
		return event.Erased + " " + member.ID.String()
	}
	return e.Username
}

func endPassword(member event.Stream, do func(sql string, args ...any)) {
	do(`UPDATE staff SET credential = NULL, password_digest = NULL WHERE tenant = $1 AND staff = $2`, member.Tenant, member.ID)
}

func keepPasskey(r event.Recorded, p staff.PasskeyAdded, do func(sql string, args ...any)) {
	do(`INSERT INTO staff_passkeys (tenant, passkey, staff, name, credential, public_key, backup_eligible, sign_count, transports, added_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		r.Stream.Tenant, p.Passkey, r.Stream.ID, p.Name, p.Credential, p.PublicKey, p.BackupEligible, int64(p.SignCount), p.Transports, r.At)
}

func endPasskeys(member event.Stream, do func(sql string, args ...any)) {
	do(`DELETE FROM staff_passkeys WHERE tenant = $1 AND staff = $2`, member.Tenant, member.ID)
}

func keepLink(member event.Stream, link staff.Link, do func(sql string, args ...any)) {
	do(`INSERT INTO staff_links (tenant, link, staff, expires_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant, staff) DO UPDATE SET link = $2, expires_at = $4`,
		member.Tenant, link.Digest[:], member.ID, link.ExpiresAt)
}

func endLink(member event.Stream, do func(sql string, args ...any)) {
	do(`DELETE FROM staff_links WHERE tenant = $1 AND staff = $2`, member.Tenant, member.ID)
}

// RolesOfStaff is the expression for the roles of a row s of staff (D63).
const RolesOfStaff = `coalesce(s.roles, CASE WHEN s.administrator THEN ARRAY['manager'] ELSE ARRAY[]::text[] END)`

const staffNamed = `SELECT staff FROM staff WHERE tenant = $1 AND username = $2`

// StaffByUsername returns the active member of staff with that username, in exactly
// that case, or staff.ErrUnknown.
func (s Staff) StaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error) {
	return s.find(ctx, staffNamed+` AND active`, tenant, username)
}

// AnyStaffByUsername returns the member of staff with that username, even if they have
// left, because they keep it. It returns staff.ErrUnknown if the username was never
// used.
func (s Staff) AnyStaffByUsername(ctx context.Context, tenant, username string) (staff.ID, error) {
	return s.find(ctx, staffNamed, tenant, username)
}

// UsernameOf returns the username of a current or former member of staff, or
// staff.ErrUnknown. A username never changes.
func (s Staff) UsernameOf(ctx context.Context, tenant string, id staff.ID) (username string, err error) {
	username, _, err = s.NamesOf(ctx, tenant, id)
	return username, err
}

// NamesOf returns the username and the name of a current or former member of staff, or
// staff.ErrUnknown.
func (s Staff) NamesOf(ctx context.Context, tenant string, id staff.ID) (username, name string, err error) {
	err = s.DB.QueryRow(ctx, `SELECT username, name FROM staff WHERE tenant = $1 AND staff = $2`, tenant, id).Scan(&username, &name)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", "", staff.ErrUnknown
	}
	if err != nil {
		return "", "", fmt.Errorf("find the names of a member of staff: %w", err)
	}
	return username, name, nil
}

// AuthorisationsOf returns the authorisations that a member of staff has given and that
// have not ended.
func (s Staff) AuthorisationsOf(ctx context.Context, tenant string, member staff.ID, now time.Time) ([]authorisation.Subject, error) {
	rows, _ := s.DB.Query(ctx, `
		SELECT staff, application, patient FROM authorisations WHERE tenant = $1 AND staff = $2 AND expires_at > $3
		ORDER BY application, patient`, tenant, member, now)
	given, err := pgx.CollectRows(rows, pgx.RowToStructByPos[authorisation.Subject])
	if err != nil {
		return nil, fmt.Errorf("list authorisations of a member of staff: %w", err)
	}
	return given, nil
}

func (s Staff) find(ctx context.Context, query, tenant, username string) (id staff.ID, err error) {
	if !utf8.ValidString(username) || strings.Contains(username, "\x00") { // the database rejects such a text
		return id, staff.ErrUnknown
	}
	err = s.DB.QueryRow(ctx, query, tenant, username).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return id, staff.ErrUnknown
	}
	if err != nil {
		return id, fmt.Errorf("find staff: %w", err)
	}
	return id, nil
}
