package sandbox

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/embedded"
	"frontdesk/projections"
)

// A sandbox's database says in a setting of its own in which directory the sandbox runs.
// So whoever changes something in the database, by whatever address, finds its clock.
const whoseSetting = "frontdesk.sandbox"

// sign has a database say whose it is. No copy of it does.
func sign(ctx context.Context, dir string, database *embedded.Server, name string) error {
	return asSuperuser(ctx, database, "ALTER DATABASE "+pgx.Identifier{name}.Sanitize()+" SET "+whoseSetting+" = "+quote(dir))
}

// Follower is the clock of a command that changes something in a database. It shows real
// time until it follows the clock of the sandbox whose database that is.
type Follower struct {
	Real  func() time.Time
	ahead time.Duration
}

// Now returns what the clock shows.
func (f *Follower) Now() time.Time { return f.Real().Add(f.ahead) }

// Follow has the clock show what the sandbox's does. It does nothing if the database is no
// sandbox's.
func (f *Follower) Follow(ctx context.Context, db projections.Querier) error {
	var dir *string
	if err := db.QueryRow(ctx, `SELECT current_setting($1, true)`, whoseSetting).Scan(&dir); err != nil {
		return fmt.Errorf("ask whose the database is: %w", err)
	}
	if dir == nil || *dir == "" {
		return nil
	}
	remote, err := Reach(*dir)
	if err != nil {
		return err
	}
	now, err := remote.Clock(ctx, "")
	if err != nil {
		return err
	}
	f.ahead = now.Sub(f.Real())
	return nil
}
