package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/display"
	"frontdesk/domain/parse"
	"frontdesk/projections"
)

// ScreenIdle is how long a screen without requests stays a display. A practice may be
// closed for weeks.
const ScreenIdle = 60 * 24 * time.Hour

// sightPace is the minimum interval of noting that a screen was seen.
const sightPace = time.Minute

// Screens stores the waiting room screens. A screen is not a member of staff: it can
// only see the board of its display (D88).
type Screens struct {
	DB  Database
	Now func() time.Time
}

// ScreenToken is the token by which a screen is recognised as a display.
func ScreenToken(id display.ID, token string) string { return id.String() + "." + token }

// Find finds the display by a screen's token, and notes that it was seen now. found is
// false for a display that was removed, and for one that was not seen for [ScreenIdle].
func (s Screens) Find(ctx context.Context, tenant, shown string) (d projections.Display, found bool, err error) {
	name, token, _ := strings.Cut(shown, ".")
	id, ok := parse.ID(name)
	if !ok || token == "" {
		return d, false, nil
	}
	now := s.Now()
	d, err = projections.Displays{DB: s.DB}.BySession(ctx, tenant, display.ID{UUID: id}, display.DigestOf(token), now.Add(-ScreenIdle))
	if errors.Is(err, display.ErrUnknown) {
		return d, false, nil
	}
	if err != nil {
		return d, false, err
	}
	return d, true, s.note(ctx, tenant, d, now)
}

// note stores when the screen was seen, and deletes those that were seen too long ago.
func (s Screens) note(ctx context.Context, tenant string, d projections.Display, now time.Time) error {
	if d.SeenAt != nil && now.Sub(*d.SeenAt) < sightPace {
		return nil
	}
	batch := &pgx.Batch{}
	batch.Queue(`DELETE FROM display_sights WHERE tenant = $1 AND seen_at <= $2`, tenant, now.Add(-ScreenIdle))
	batch.Queue(`
		INSERT INTO display_sights AS n (tenant, display, seen_at) VALUES ($1, $2, $3)
		ON CONFLICT (tenant, display) DO UPDATE SET seen_at = greatest(n.seen_at, $3)`, tenant, d.Display, now)
	if err := s.DB.ExecBatch(ctx, batch); err != nil {
		return fmt.Errorf("note that a screen was seen: %w", err)
	}
	return nil
}
