package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/staff"
)

// OwnSession is a session on its member's account page.
type OwnSession struct {
	ID                   uuid.UUID
	Browser              string // in plain words; "" if it began before they were stored
	SignedInAt, LastSeen time.Time
}

// OwnedBy returns the live sessions of a member of staff, last seen first. There are
// never many.
func (s Sessions) OwnedBy(ctx context.Context, tenant string, member staff.ID) ([]OwnSession, error) {
	now := s.Now()
	rows, _ := s.DB.Query(ctx, `
		SELECT n.id, n.browser, n.signed_in_at, n.seen_at
		FROM staff_sessions n JOIN staff s ON s.tenant = n.tenant AND s.staff = n.staff AND s.active AND s.credential = n.credential
		WHERE n.tenant = $1 AND n.staff = $2 AND n.seen_at > $3 AND n.signed_in_at > $4
		ORDER BY n.seen_at DESC, n.id`, tenant, member, now.Add(-s.Idle), now.Add(-s.Limit))
	own, err := pgx.CollectRows(rows, pgx.RowToStructByPos[OwnSession])
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return own, nil
}

// endOwn ends one session of a member of staff, and endOthers all but one. They never
// end another member's session, whatever its id.
const (
	endOwn    = `DELETE FROM staff_sessions WHERE tenant = $1 AND staff = $2 AND id = $3 RETURNING id`
	endOthers = `DELETE FROM staff_sessions WHERE tenant = $1 AND staff = $2 AND id <> $3 RETURNING id`
)

// SignOutOf ends another session of this session's member.
func (d Door) SignOutOf(ctx context.Context, tenant string, this Session, other uuid.UUID) error {
	return d.endSessions(ctx, endOwn, tenant, this.Staff, other)
}

// SignOutElsewhere ends every other session of this session's member.
func (d Door) SignOutElsewhere(ctx context.Context, tenant string, this Session) error {
	return d.endSessions(ctx, endOthers, tenant, this.Staff, this.ID)
}

func (d Door) endSessions(ctx context.Context, which, tenant string, member staff.ID, session uuid.UUID) error {
	rows, _ := d.Sessions.DB.Query(ctx, which, tenant, member, session)
	ended, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	for _, id := range ended {
		d.Journal.SignedOut(ctx, Attempt{Tenant: tenant, Staff: member, Session: id})
	}
	return nil
}

// Ending is why a session has ended.
type Ending int

// The ways in which a session ends other than by sign-out.
const (
	Unknown     Ending = iota // as for a session that never existed; it may have been ended by hand, or by another password
	Idle                      // no activity for too long, or too old
	Deactivated               // its member of staff was deactivated
)

// Ended returns why the session of a token has ended. Only a browser with the token
// gets the reason.
func (s Sessions) Ended(ctx context.Context, tenant, token string) (why Ending, err error) {
	var active bool
	err = s.DB.QueryRow(ctx, `
		SELECT s.active FROM staff_sessions n JOIN staff s ON s.tenant = n.tenant AND s.staff = n.staff
		WHERE n.token_hash = $1 AND n.tenant = $2 AND (NOT s.active OR s.credential = n.credential)`, hashOf(token), tenant).Scan(&active)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Unknown, nil
	case err != nil:
		return Unknown, fmt.Errorf("read why a session has ended: %w", err)
	case !active:
		return Deactivated, nil
	}
	return Idle, nil
}
