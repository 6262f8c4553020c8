package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// Displays keeps the displays of each practice, without those that were removed.
type Displays struct{ DB Querier }

// Display is a display as its practice sees it.
type Display struct {
	Display     display.ID
	Name        string
	Site        site.ID
	SiteName    string
	Naming      display.Naming
	LinkUntil   time.Time  // exclusive; also of a link that was used
	ConnectedAt *time.Time // when a screen opened the link; nil if none has
	SeenAt      *time.Time // when a screen last showed the board; nil if none has
}

// Name returns the permanent name.
func (Displays) Name() string { return "displays.v1" }

// Project keeps a row for each display.
func (Displays) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case display.Added:
		do(`INSERT INTO displays (tenant, display, name, site, naming, link, link_until) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			r.Stream.Tenant, e.Display, e.Name, e.Site, string(e.Naming), e.Digest[:], e.ExpiresAt)
	case display.Connected:
		do(`UPDATE displays SET link = NULL, session = $3, connected_at = $4 WHERE tenant = $1 AND display = $2`,
			r.Stream.Tenant, e.Display, e.Session[:], r.At)
	case display.Removed:
		do(`DELETE FROM displays WHERE tenant = $1 AND display = $2`, r.Stream.Tenant, e.Display)
	}
}

// mostDisplays limits the list of a practice.
const mostDisplays = 200

const displaysOf = `
SELECT d.display, d.name, d.site, s.name, d.naming, d.link_until, d.connected_at, n.seen_at
FROM displays d JOIN sites s ON s.tenant = d.tenant AND s.site = d.site
LEFT JOIN display_sights n ON n.tenant = d.tenant AND n.display = d.display
WHERE d.tenant = $1`

// List lists the displays of a practice by site and name.
func (d Displays) List(ctx context.Context, tenant string) ([]Display, error) {
	rows, _ := d.DB.Query(ctx, displaysOf+` ORDER BY lower(s.name), lower(d.name), d.display LIMIT $2`, tenant, mostDisplays)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Display])
	if err != nil {
		return nil, fmt.Errorf("list displays: %w", err)
	}
	return found, nil
}

// ByLink returns the display that a screen can become by the link, or staff.ErrLink.
func (d Displays) ByLink(ctx context.Context, tenant string, id display.ID, link event.Digest, now time.Time) (Display, error) {
	found, err := d.one(ctx, displaysOf+` AND d.display = $2 AND d.link = $3 AND d.link_until > $4`, tenant, id, link[:], now)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, staff.ErrLink
	}
	return found, err
}

// BySession returns the display of a screen, if it has connected or was seen after an
// instant. Otherwise it returns display.ErrUnknown.
func (d Displays) BySession(ctx context.Context, tenant string, id display.ID, session event.Digest, after time.Time) (Display, error) {
	found, err := d.one(ctx, displaysOf+` AND d.display = $2 AND d.session = $3 AND greatest(d.connected_at, n.seen_at) > $4`,
		tenant, id, session[:], after)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, display.ErrUnknown
	}
	return found, err
}

func (d Displays) one(ctx context.Context, sql string, args ...any) (Display, error) {
	rows, _ := d.DB.Query(ctx, sql, args...)
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Display])
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return found, fmt.Errorf("find a display: %w", err)
	}
	return found, err
}
