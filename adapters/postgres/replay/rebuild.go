package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/fault"
	"frontdesk/projections"
)

// Schema is where a rebuild keeps its tables until it is done.
const Schema = "frontdesk_rebuild"

// Rebuild makes read models anew while the service runs, compares them with the live
// ones row by row, and replaces the rows that differ. It needs the rights of the
// database's owner.
type Rebuild struct {
	Pool        *pgxpool.Pool
	Log         postgres.Log // its DB is not used
	Keys        *postgres.Keyring
	Projections []projections.Projection
	Fresh       bool // begin anew, even if an earlier run was stopped and could be continued
	Switch      bool // replace the rows that differ
	Now         func() time.Time
	Progress    func(done, all int64) // is told how many events are done; may be nil
	Wait        time.Duration         // for a lock that others hold; 0 means ten minutes
	Tell        func(string)          // is told who holds it; may be nil

	elsewhere pages // a copy of the log that is read instead of it; nil for none
}

// Result says what a rebuild has found.
type Result struct {
	Idx         int64                       `json:"idx"` // the head of the log when it compared
	Differences []Difference                `json:"differences"`
	Switched    bool                        `json:"switched"`    // the live tables now hold what the log says
	Held        time.Duration               `json:"-"`           // the longest time that the switch made appends wait
	Lost        postgres.Losses             `json:"lost"`        // what events and log do not agree on; no switch brings it back
	NotCompared []string                    `json:"notCompared"` // read models that hold personal data, if nothing opens it here
	Hashes      []Hash                      `json:"hashes"`      // of passwords that count, and are not those that the log knows; no switch brings them back
	Schema      []postgres.SchemaDifference `json:"schema"`      // objects of the database that are not this program's; no switch brings them back
}

// sessionName is the application_name of a rebuild's sessions while they hold locks.
const sessionName = "frontdesk rebuild"

// Run rebuilds, compares and, if Switch says so, mends. If ctx ends, or if there are
// differences left, the rebuilt tables stay for the next run. Only one rebuild at a time
// works on a database: another one is refused, and told who is at it.
func (r *Rebuild) Run(ctx context.Context) (result Result, err error) {
	alone, err := r.alone(ctx)
	if err != nil {
		return Result{}, err
	}
	defer func() {
		if lost := alone.Release(ctx); lost != nil && err == nil { // another one may have changed what was compared
			result, err = Result{}, lost
		}
	}()
	return r.run(ctx)
}

// alone takes the lock that a rebuild holds until it ends.
func (r *Rebuild) alone(ctx context.Context) (*postgres.Alone, error) {
	alone, err := postgres.NewAlone(ctx, r.Pool, postgres.RebuildLock, sessionName)
	if err != nil {
		return nil, err
	}
	held, err := alone.Try(ctx)
	if err == nil && !held {
		err = r.refusal(ctx, alone)
	}
	if err != nil {
		return nil, errors.Join(err, alone.Release(ctx))
	}
	return alone, nil
}

func (r *Rebuild) refusal(ctx context.Context, alone *postgres.Alone) error {
	other, err := alone.Holder(ctx, postgres.On(r.Pool))
	if err != nil {
		return err
	}
	return fault.New(fault.Refused, "rebuild-running", fmt.Sprintf("Another rebuild is running: %s. Wait until it has ended, or end it.", other))
}

func (r *Rebuild) run(ctx context.Context) (Result, error) {
	if r.Fresh {
		if err := drop(ctx, postgres.On(r.Pool), Schema); err != nil {
			return Result{}, fmt.Errorf("forget the last rebuild: %w", err)
		}
	}
	made, hidden := openable(r.Keys, r.Projections)
	if len(made) == 0 {
		return Result{}, r.Keys.CanOpen()
	}
	r.Log = opening(r.Log, r.Keys, made, r.Now())
	shadow, err := open(ctx, r.Pool, Schema, made)
	if err != nil {
		return Result{}, err
	}
	defer shadow.Close()
	if err := shadow.makeNotes(ctx); err != nil {
		return Result{}, err
	}
	lost, err := r.losses(ctx)
	if err != nil {
		return Result{}, err
	}
	if err := r.approach(ctx, shadow); err != nil {
		return Result{}, fmt.Errorf("rebuild: %w", err)
	}
	result, err := r.finish(ctx, shadow)
	result.Lost, result.NotCompared = lost, hidden
	if err == nil {
		result.Hashes, err = shadow.strangeHashes(ctx)
	}
	if err == nil {
		result.Schema, err = postgres.SchemaDifferences(ctx, postgres.On(r.Pool))
	}
	if err == nil && (len(result.Differences) == 0 || result.Switched) {
		err = drop(ctx, shadow.db, Schema)
	}
	return result, err
}

// losses compares events with the log. A switch is refused if the log is not whole: it
// would take away what the missing events have left in the live tables.
func (r *Rebuild) losses(ctx context.Context) (postgres.Losses, error) {
	log := r.Log
	log.DB = postgres.On(r.Pool)
	lost, err := log.Losses(ctx)
	if err == nil && r.Switch && lost.Count > 0 {
		err = fmt.Errorf("nothing was put right, because the log is not whole: %w", lost.Err())
	}
	return lost, err
}

// rounds is how often a switch mends the tables before it gives up. If they still
// differ then, something else is changing them.
const rounds = 3

// finish compares and, if Switch says so, mends until nothing differs. It compares
// in a snapshot, so nobody waits for it.
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
