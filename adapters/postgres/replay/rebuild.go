package replay

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/projections"
)

// Schema is where a rebuild keeps its tables until it is done.
const Schema = "frontdesk_rebuild"

// Rebuild makes read models anew while the service runs, compares them with the
// live ones row by row and puts right what differs. It needs the owner's rights.
type Rebuild struct {
	Pool        *pgxpool.Pool
	Log         postgres.Log // its DB is not used
	Projections []projections.Projection
	Fresh       bool // forget what an earlier run, which was stopped, has done
	Switch      bool // put right what differs
	Now         func() time.Time
	Progress    func(done, all int64) // events; nil for nobody
}

// Result is what a rebuild has found.
type Result struct {
	Idx         int64         `json:"idx"` // the head of the log when it compared
	Differences []Difference  `json:"differences"`
	Switched    bool          `json:"switched"` // the live tables hold what the log says
	Held        time.Duration `json:"-"`        // how long a switch has let appends wait, at the longest
}

// Run rebuilds, compares and, if asked to, switches. What it has built stays,
// for the next run, when ctx ends and when there are differences left.
func (r *Rebuild) Run(ctx context.Context) (Result, error) {
	if r.Fresh {
		if err := drop(ctx, postgres.On(r.Pool), Schema); err != nil {
			return Result{}, fmt.Errorf("forget the last rebuild: %w", err)
		}
	}
	shadow, err := open(ctx, r.Pool, Schema, r.Projections)
	if err != nil {
		return Result{}, err
	}
	defer shadow.Close()
	if err := r.approach(ctx, shadow); err != nil {
		return Result{}, fmt.Errorf("rebuild: %w", err)
	}
	result, err := r.finish(ctx, shadow)
	if err == nil && (len(result.Differences) == 0 || result.Switched) {
		err = drop(ctx, shadow.db, Schema)
	}
	return result, err
}

// rounds is how often a switch puts right what differs before it gives up:
// somebody else must be changing the tables.
const rounds = 3

// finish compares, and mends until nothing differs if it is to switch. What is
// compared is one snapshot, which nobody waits for.
func (r *Rebuild) finish(ctx context.Context, s *Shadow) (result Result, err error) {
	for round := 1; ; round++ {
		idx, found, err := r.look(ctx, s)
		if err != nil {
			return result, fmt.Errorf("compare what was rebuilt: %w", err)
		}
		if round == 1 {
			result.Idx, result.Differences = idx, found
		}
		if len(found) == 0 || !r.Switch {
			result.Switched = r.Switch
			return result, nil
		}
		if round > rounds {
			return result, fmt.Errorf("table %s differs again after it was put right", found[0].Table)
		}
		held, err := r.mend(ctx, s, found)
		if result.Held = max(result.Held, held); err != nil {
			return result, fmt.Errorf("put right what differs: %w", err)
		}
	}
}
