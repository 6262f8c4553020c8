package projections

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/commands"
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
	case staff.ResetRequested:
		keepRequest(r.Stream, e, do)
	case staff.ResetWithdrawn:
		endRequest(r.Stream, do)
	case staff.Reset:
		endPassword(r.Stream, do)
		endPasskeys(r.Stream, do)
		endRequest(r.Stream, do)
		keepLink(r.Stream, e.Link, do)
	case staff.Deactivated:
		do(`UPDATE staff SET active = false WHERE tenant = $1 AND staff = $2`, r.Stream.Tenant, r.Stream.ID)
		endLink(r.Stream, do)
	case staff.Reactivated:
		do(`UPDATE staff SET active = true WHERE tenant = $1 AND staff = $2`, r.Stream.Tenant, r.Stream.ID)
		endPassword(r.Stream, do)
		endPasskeys(r.Stream, do)
		endRequest(r.Stream, do)
	case staff.Erased:
		forget(r.Stream, do)
	case staff.PasskeyAdded:
		keepPasskey(r, e, do)
	case staff.PasskeyRuleSet:
		do(`INSERT INTO passkey_rules (tenant, roles) VALUES ($1, $2) ON CONFLICT (tenant) DO UPDATE SET roles = $2`, r.Stream.Tenant, e.Roles)
	case staff.PasskeyRemoved:
		do(`DELETE FROM staff_passkeys WHERE tenant = $1 AND passkey = $2`, r.Stream.Tenant, e.Passkey)
	}
}

func keepRequest(member event.Stream, e staff.ResetRequested, do func(sql string, args ...any)) {
	do(`UPDATE staff SET reset = $3, reset_by = $4, reset_at = $5 WHERE tenant = $1 AND staff = $2`,
		member.Tenant, member.ID, e.Reset, idOrNull(e.RequestedBy.Member()), e.RequestedAt) // NULL for an operator
}

// forget anonymises a row. Usernames are unique, so the row gets a placeholder that no
// one else has. A member that a backup has brought back may not have left yet.
func forget(member event.Stream, do func(sql string, args ...any)) {
	do(`UPDATE staff SET username = $3 || ' ' || staff, name = $3, email = $3, active = false WHERE tenant = $1 AND staff = $2`,
		member.Tenant, member.ID, event.Erased)
	endPassword(member, do)
	endPasskeys(member, do)
	endLink(member, do)
	endRequest(member, do)
}

func endRequest(member event.Stream, do func(sql string, args ...any)) {
	do(`UPDATE staff SET reset = NULL, reset_by = NULL, reset_at = NULL WHERE tenant = $1 AND staff = $2`, member.Tenant, member.ID)
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

// LacksPasskey is the condition that a row s of staff has none of the passkeys that their
// practice's rule requires (D152).
var LacksPasskey = `(` + RolesOfStaff + ` && coalesce((SELECT p.roles FROM passkey_rules p WHERE p.tenant = s.tenant), '{` + passkeyRoles() + `}')
	AND NOT EXISTS (SELECT FROM staff_passkeys k WHERE k.tenant = s.tenant AND k.staff = s.staff))`

func passkeyRoles() string {
	var names []string
	for _, role := range staff.PasskeyRoles() {
		names = append(names, string(role))
	}
	return strings.Join(names, ",")
}

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

// HadPassword reports whether any of a practice's staff has or had a password. It asks the log:
// a reset or a deactivation takes the password from the read model.
func (s Staff) HadPassword(ctx context.Context, tenant string) (had bool, err error) {
	err = s.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM staff s JOIN events e ON e.stream = s.staff AND e.tenant = s.tenant WHERE s.tenant = $1 AND e.name = $2)`,
		tenant, staff.PasswordSet{}.EventName()).Scan(&had)
	if err != nil {
		return false, fmt.Errorf("find whether anyone had a password: %w", err)
	}
	return had, nil
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

// Person is a member of staff as the managers of their practice see them.
type Person struct {
	Staff     staff.ID
	Username  string
	Name      string
	Email     string
	Roles     staff.Roles
	Active    bool
	SignsIn   bool      // they are active and have chosen a password
	LinkUntil time.Time // end of their link, which may have passed; zero for none
	Passkeys  int
	Asked     AskedReset // zero for none
}

// AskedReset is a request for the reset of a member of staff, which may have lapsed.
type AskedReset struct {
	Reset staff.ResetID
	By    staff.ID // zero for an operator
	At    time.Time
}

// Waits reports whether the request waits for a second person or for its time.
func (a AskedReset) Waits(now time.Time) bool {
	return !a.At.IsZero() && now.Before(a.At.Add(staff.ResetLapse))
}

// People lists the staff of a practice, including those who have left.
type People struct{ DB Querier }

// mostPeople limits the list. It leaves out former staff first.
const mostPeople = 2000

const (
	people = `
SELECT s.staff, s.username, s.name, s.email, ` + RolesOfStaff + `, s.active, s.active AND s.credential IS NOT NULL, l.expires_at, coalesce(k.n, 0), s.reset, s.reset_by, s.reset_at
FROM staff s LEFT JOIN staff_links l ON l.tenant = s.tenant AND l.staff = s.staff
LEFT JOIN (SELECT staff, count(*) AS n FROM staff_passkeys WHERE tenant = $1 GROUP BY staff) k ON k.staff = s.staff
WHERE s.tenant = $1`
	peopleByName     = people + ` ORDER BY s.active DESC, lower(s.name), s.username LIMIT $2`
	peopleByUsername = people + ` AND s.username > $2 ORDER BY s.username LIMIT $3`
	peopleNamed      = people + ` AND s.username = ANY($2)`
)

// List lists the staff of a practice by name, followed by those who have left.
func (p People) List(ctx context.Context, tenant string) ([]Person, error) {
	return p.list(ctx, peopleByName, tenant, mostPeople)
}

// After lists at most limit members of staff by their usernames, including those who
// have left, from the next one after another; "" is before all.
func (p People) After(ctx context.Context, tenant, username string, limit int) ([]Person, error) {
	return p.list(ctx, peopleByUsername, tenant, username, limit)
}

// Named returns the staff with these usernames, in no order.
func (p People) Named(ctx context.Context, tenant string, usernames []string) ([]Person, error) {
	return p.list(ctx, peopleNamed, tenant, usernames)
}

// Count counts the staff of a practice, including those who have left.
func (p People) Count(ctx context.Context, tenant string) (n int64, err error) {
	if err := p.DB.QueryRow(ctx, `SELECT count(*) FROM staff WHERE tenant = $1`, tenant).Scan(&n); err != nil {
		return 0, fmt.Errorf("count staff: %w", err)
	}
	return n, nil
}

// HasManager reports whether a practice has a manager who can sign in, apart from one member.
func (p People) HasManager(ctx context.Context, tenant, except string) (has bool, err error) {
	err = p.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM staff s WHERE s.username <> $2 AND `+managersOf+`)`, tenant, except).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("count managers: %w", err)
	}
	return has, nil
}

func (p People) list(ctx context.Context, query string, args ...any) ([]Person, error) {
	rows, _ := p.DB.Query(ctx, query, args...)
	people, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Person, err error) {
		var until, asked *time.Time
		var reset, by *uuid.UUID
		err = row.Scan(&p.Staff, &p.Username, &p.Name, &p.Email, &p.Roles, &p.Active, &p.SignsIn, &until, &p.Passkeys, &reset, &by, &asked)
		p.Asked = askedReset(reset, by, asked)
		if until != nil {
			p.LinkUntil = until.UTC()
		}
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("list staff: %w", err)
	}
	return people, nil
}

func askedReset(reset, by *uuid.UUID, at *time.Time) (a AskedReset) {
	if reset == nil || at == nil {
		return a
	}
	a.Reset.UUID, a.At = *reset, at.UTC()
	if by != nil {
		a.By.UUID = *by
	}
	return a
}

// ResetAsked returns the request for the reset of a member of staff, or a zero one.
func (p People) ResetAsked(ctx context.Context, tenant string, member staff.ID) (AskedReset, error) {
	var reset, by *uuid.UUID
	var at *time.Time
	err := p.DB.QueryRow(ctx, `SELECT reset, reset_by, reset_at FROM staff WHERE tenant = $1 AND staff = $2`, tenant, member).Scan(&reset, &by, &at)
	if err != nil {
		return AskedReset{}, fmt.Errorf("find a request for a reset: %w", err)
	}
	return askedReset(reset, by, at), nil
}

// Links finds the holder of a link.
type Links struct{ DB Querier }

const holderOfLink = `
SELECT s.staff, s.username, s.name
FROM staff_links l JOIN staff s ON s.tenant = l.tenant AND s.staff = l.staff AND s.active
WHERE l.tenant = $1 AND l.link = $2 AND l.expires_at > $3`

// Holder returns the active member of staff who can choose a password by the link, or
// staff.ErrLink.
func (l Links) Holder(ctx context.Context, tenant string, link event.Digest, now time.Time) (h commands.LinkHolder, err error) {
	err = l.DB.QueryRow(ctx, holderOfLink, tenant, link[:], now).Scan(&h.Staff, &h.Username, &h.Name)
	if errors.Is(err, pgx.ErrNoRows) {
		return h, staff.ErrLink
	}
	if err != nil {
		return h, fmt.Errorf("find whose a link is: %w", err)
	}
	return h, nil
}
