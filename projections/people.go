package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

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
}

// People lists the staff of a practice, including those who have left.
type People struct{ DB Querier }

// mostPeople limits the list. It leaves out former staff first.
const mostPeople = 2000

const (
	people = `
SELECT s.staff, s.username, s.name, s.email, ` + RolesOfStaff + `, s.active, s.active AND s.credential IS NOT NULL, l.expires_at, coalesce(k.n, 0)
FROM staff s LEFT JOIN staff_links l ON l.tenant = s.tenant AND l.staff = s.staff
LEFT JOIN (SELECT staff, count(*) AS n FROM staff_passkeys WHERE tenant = $1 GROUP BY staff) k ON k.staff = s.staff
WHERE s.tenant = $1`
	peopleByName     = people + ` ORDER BY s.active DESC, lower(s.name), s.username LIMIT $2`
	peopleByUsername = people + ` AND s.username > $2 ORDER BY s.username LIMIT $3`
	peopleNamed      = people + ` AND s.username = ANY($2)`
)

// Of lists the staff of a practice by name, followed by those who have left.
func (p People) Of(ctx context.Context, tenant string) ([]Person, error) {
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

func (p People) list(ctx context.Context, query string, args ...any) ([]Person, error) {
	rows, _ := p.DB.Query(ctx, query, args...)
	people, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Person, err error) {
		var until *time.Time
		err = row.Scan(&p.Staff, &p.Username, &p.Name, &p.Email, &p.Roles, &p.Active, &p.SignsIn, &until, &p.Passkeys)
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
