package sandbox

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/embedded"
	"frontdesk/projections"
)

// The comment of a sandbox's database names the directory of the sandbox. A program that changes
// the database, by whatever address, can therefore find its clock. A setting of the database would
// be a difference from the schema that the service needs.
const dirComment = "frontdesk sandbox in "

// Comment returns the comment of the database of a sandbox in a directory. A sandbox without a
// directory is one of a test, and has real time.
func Comment(dir string) string { return dirComment + dir }

// sign records in the database which sandbox it belongs to. No copy of it has that comment.
func sign(ctx context.Context, dir string, database *embedded.Server, name string) error {
	return asSuperuser(ctx, database, "COMMENT ON DATABASE "+pgx.Identifier{name}.Sanitize()+" IS "+quote(Comment(dir)))
}

// Follower is the clock of a command that changes a database. It shows real time until it
// follows the clock of the database's sandbox.
type Follower struct {
	Real      func() time.Time
	ahead     time.Duration
	inSandbox bool
}

// Now returns the time of the clock.
func (f *Follower) Now() time.Time { return f.Real().Add(f.ahead) }

// InSandbox reports whether the database belongs to a sandbox, once Follow has looked.
func (f *Follower) InSandbox() bool { return f.inSandbox }

// Follow sets the clock to that of the sandbox. It does nothing if the database belongs to no
// sandbox.
func (f *Follower) Follow(ctx context.Context, db projections.Querier) error {
	var comment string
	err := db.QueryRow(ctx, `SELECT coalesce(shobj_description(oid, 'pg_database'), '') FROM pg_database WHERE datname = current_database()`).Scan(&comment)
	if err != nil {
		return fmt.Errorf("find the sandbox of the database: %w", err)
	}
	var dir string
	if dir, f.inSandbox = strings.CutPrefix(comment, dirComment); dir == "" {
		return nil
	}
	remote, err := Reach(dir)
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
