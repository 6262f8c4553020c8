package replay

import (
	"context"

	"frontdesk/domain/event"
)

// From has a rebuild read a copy of the log.
func (r *Rebuild) From(next func(ctx context.Context, idx int64) ([]event.Recorded, error)) *Rebuild {
	r.elsewhere = copied(next)
	return r
}

type copied func(ctx context.Context, idx int64) ([]event.Recorded, error)

func (c copied) Next(ctx context.Context, idx int64) ([]event.Recorded, error) { return c(ctx, idx) }
