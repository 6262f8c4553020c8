package sandbox

import (
	"context"
	"fmt"
	"time"

	"frontdesk/cmd/frontdesk/app"
)

// steering is what steers this sandbox.
type steering struct {
	clock   *clock
	service *app.App
}

func (s *steering) setClock(ctx context.Context, setting string) (time.Time, error) {
	if setting == "" {
		return s.clock.Now(), nil
	}
	err := s.clock.set(ctx, setting, s.newest)
	return s.clock.Now(), err
}

// newest returns when the newest event was recorded. A sandbox has few enough of them to
// look at each.
func (s *steering) newest(ctx context.Context) (at time.Time, err error) {
	err = s.service.Log.DB.QueryRow(ctx, `SELECT coalesce(max(recorded_at), 'epoch') FROM events`).Scan(&at)
	if err != nil {
		return at, fmt.Errorf("find the newest event: %w", err)
	}
	return at, nil
}

func (s *steering) reset(context.Context) error {
	return refused("This sandbox cannot be reset yet.")
}
