package sandbox

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/embedded"
	"frontdesk/projections"
)

// A sandbox's database holds the directory of the sandbox in a custom setting. A program that
// changes the database, by whatever address, can therefore find its clock.
const dirSetting = "frontdesk.sandbox"

// sign records in the database which sandbox it belongs to. No copy of it has that setting.
func sign(ctx context.Context, dir string, database *embedded.Server, name string) error {
	return asSuperuser(ctx, database, "ALTER DATABASE "+pgx.Identifier{name}.Sanitize()+" SET "+dirSetting+" = "+quote(dir))
}

// Follower is the clock of a command that changes a database. It shows real time until it
// follows the clock of the database's sandbox.
type Follower struct {
	Real  func() time.Time
	ahead time.Duration
}

// Now returns the time of the clock.
func (f *Follower) Now() time.Time { return f.Real().Add(f.ahead) }

// Follow sets the clock to that of the sandbox. It does nothing if the database belongs to no
// sandbox.
func (f *Follower) Follow(ctx context.Context, db projections.Querier) error {
	var dir *string
	if err := db.QueryRow(ctx, `SELECT current_setting($1, true)`, dirSetting).Scan(&dir); err != nil {
		return fmt.Errorf("find the sandbox of the database: %w", err)
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
