package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/domain/fault"
	"frontdesk/projections"
)

// Schema holds the tables of a rebuild until it is done.
const Schema = "frontdesk_rebuild"

// Rebuild builds read models again while the service runs, compares them with the live
// ones row by row, and replaces the rows that differ. It needs the rights of the
// database's owner.
type Rebuild struct {
	Pool        *pgxpool.Pool
	Log         eventstore.Log // its DB is not used
	Keys        *keyring.Keyring
	Projections []projections.Projection
	Fresh       bool // start over, even if an earlier run could be continued
	Switch      bool // replace the rows that differ
	Now         func() time.Time
	Progress    func(done, all int64) // receives the number of processed events; may be nil
	Wait        time.Duration         // for a lock that others hold; 0 means ten minutes
	Tell        func(string)          // receives the holder's description; may be nil

	elsewhere pages // a copy of the log to read instead; nil for none
}

// Result is the result of a rebuild.
type Result struct {
	Idx         int64                       `json:"idx"` // the head of the log at the comparison
	Differences []Difference                `json:"differences"`
	Switched    bool                        `json:"switched"`    // the live tables now agree with the log
	Held        time.Duration               `json:"-"`           // the longest time that the switch blocked appends
	Lost        eventstore.MissingEvents    `json:"lost"`        // differences between events and log; a switch does not repair them
	NotCompared []string                    `json:"notCompared"` // read models with personal data, if there is no key
	Hashes      []Hash                      `json:"hashes"`      // of valid passwords that differ from the log; a switch does not repair them
	Schema      []postgres.SchemaDifference `json:"schema"`      // objects of the database that are not this program's; a switch does not repair them
}

// sessionName is the application_name of a rebuild's sessions while they hold locks.
const sessionName = "frontdesk rebuild"

// Run rebuilds, compares and, if Switch is set, repairs. If ctx ends, or if differences
// are left, the rebuilt tables stay for the next run. Only one rebuild at a time works
// on a database: a second one is refused with the holder of the lock.
func (r *Rebuild) Run(ctx context.Context) (result Result, err error) {
	lock, err := r.takeLock(ctx)
	if err != nil {
		return Result{}, err
	}
	defer func() {
		if lost := lock.Release(ctx); lost != nil && err == nil { // another one may have changed the compared tables
			result, err = Result{}, lost
		}
	}()
	return r.run(ctx)
}

// takeLock takes the lock that a rebuild holds until it ends.
func (r *Rebuild) takeLock(ctx context.Context) (*postgres.AdvisoryLock, error) {
	lock, err := postgres.NewAdvisoryLock(ctx, r.Pool, postgres.RebuildLock, sessionName)
	if err != nil {
		return nil, err
	}
	held, err := lock.Try(ctx)
	if err == nil && !held {
		err = r.refusal(ctx, lock)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Release(ctx))
	}
	return lock, nil
}

func (r *Rebuild) refusal(ctx context.Context, lock *postgres.AdvisoryLock) error {
	other, err := lock.Holder(ctx, postgres.On(r.Pool))
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
	readable, hidden := openable(r.Keys, r.Projections)
	if len(readable) == 0 {
		return Result{}, r.Keys.CanOpen()
	}
	r.Log = opening(r.Log, r.Keys, readable, r.Now())
	shadow, err := open(ctx, r.Pool, Schema, readable)
	if err != nil {
		return Result{}, err
	}
	defer shadow.Close()
	if err := shadow.makeNotes(ctx); err != nil {
		return Result{}, err
	}
	lost, err := r.missingEvents(ctx)
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

// missingEvents compares events with the log. A switch is refused if the log is incomplete: it
// would remove the effects of the missing events from the live tables.
func (r *Rebuild) missingEvents(ctx context.Context) (eventstore.MissingEvents, error) {
	log := r.Log
	log.DB = postgres.On(r.Pool)
	lost, err := log.MissingEvents(ctx)
	if err == nil && r.Switch && lost.Count > 0 {
		err = fmt.Errorf("nothing was put right, because the log is not whole: %w", lost.Err())
	}
	return lost, err
}

// rounds is how often a switch repairs the tables before it gives up. If they still
// differ, another process is changing them.
const rounds = 3

// finish compares and, if Switch is set, repairs until nothing differs. It compares in
// a snapshot, so it blocks no one.
func (r *Rebuild) finish(ctx context.Context, s *Shadow) (result Result, err error) {
	for round := 1; ; round++ {
		idx, found, err := r.look(ctx, s)
		if err != nil {
			return result, fmt.Errorf("compare rebuilt tables: %w", err)
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
		held, err := r.repairRows(ctx, s, found)
		if result.Held = max(result.Held, held); err != nil {
			return result, fmt.Errorf("replace differing rows: %w", err)
		}
	}
}
