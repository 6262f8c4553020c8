package signin

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// account is an existing account.
type account struct {
	tenant string
	staff  staff.ID
}

// pending is the attempts at an account that are not yet appended.
type pending struct {
	staff.Tried
	due     time.Time // not appended before
	request string    // the request of the first of them
}

const ownersOf = `
SELECT s.tenant, s.username, s.staff
FROM unnest($1::text[], $2::text[]) AS typed (tenant, username)
JOIN staff s ON s.tenant = typed.tenant AND s.username = typed.username AND s.active`

// owners finds the active members of staff by the typed usernames.
func (j *Journal) owners(ctx context.Context, batch []happening) (map[Account]staff.ID, error) {
	var tenants, usernames []string
	for _, h := range batch {
		if h.Staff == (staff.ID{}) && storable(h.Username) != "" {
			tenants, usernames = append(tenants, h.Tenant), append(usernames, h.Username)
		}
	}
	if len(tenants) == 0 {
		return nil, nil
	}
	rows, _ := j.DB.Query(ctx, ownersOf, tenants, usernames)
	found, owners := account{}, map[Account]staff.ID{}
	username := ""
	_, err := pgx.ForEachRow(rows, []any{&found.tenant, &username, &found.staff}, func() error {
		owners[Account{found.tenant, username}] = found.staff
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find whose accounts were tried: %w", err)
	}
	return owners, nil
}

// count adds an attempt, or a lock, to the pending ones of an account. It is lost if
// too many accounts have pending ones.
func (j *Journal) count(ctx context.Context, h happening, from staff.Source) error {
	who := account{h.Tenant, h.Staff}
	p := j.tried[who]
	switch {
	case p == nil && len(j.tried) >= j.Limit:
		j.metrics.lost.Inc()
		return nil
	case p == nil:
		p = &pending{request: h.request}
	}
	if h.kind == failed {
		p.Fail(h.How, from, h.at)
		j.tried[who] = p
		return nil
	}
	everybody, err := j.Tries.LockedUntil(ctx, Try{Account: Account{h.Tenant, h.Username}})
	if err != nil {
		return err
	}
	p.Locked = staff.LockedOut{Source: from, Everywhere: everybody.After(j.instant()), At: h.at, Until: h.until}
	j.tried[who] = p
	return nil
}

// appendAttempts appends the attempts that are due. Each practice has a budget of events;
// the last round ignores it.
func (j *Journal) appendAttempts(ctx context.Context, last bool) error {
	for who, p := range j.tried {
		if !last && (j.instant().Before(p.due) || j.budget.Spend(who.tenant, 1) > 0) {
			continue
		}
		if err := j.appendTo(ctx, who, p, last); err != nil {
			return err
		}
		if p.None() {
			delete(j.tried, who)
		}
	}
	return nil
}

// appendTo appends the attempts at one account, unless another process has done so within
// the last minute. The last round ignores that.
func (j *Journal) appendTo(ctx context.Context, who account, p *pending, last bool) error {
	now := j.instant()
	p.due = now.Add(staff.TellEvery / 4)
	ctx = event.WithMetadata(ctx, event.Metadata{Actor: event.Service("frontdesk"), RequestID: p.request})
	var events []event.Event
	err := commands.Update(ctx, j.Store, staff.TriesStream(who.tenant, who.staff, now), func(w staff.Watch) (_ []event.Event, err error) {
		if last {
			w = staff.Watch{}
		}
		events, err = w.Tell(who.staff, p.Tried, now)
		return events, err
	})
	if err := j.appended(ctx, events, err); err != nil {
		return err
	}
	if len(events) == 0 {
		j.budget.Return(who.tenant, 1)
	}
	p.Told(events)
	return nil
}
