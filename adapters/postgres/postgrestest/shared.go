package postgrestest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/durable"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/migrations"
)

// shared is one process's use of the shared cluster.
type shared struct {
	server   *embedded.Server // detached, because no process owns it
	users    *durable.Lock    // the users' lock, held as long as the process lives
	admin    *pgxpool.Pool
	template string // the database that new ones are copied from
}

// limit is how long a test waits for its cluster.
const limit = 2 * time.Minute

// sharedCluster joins the cluster once per process.
var sharedCluster = sync.OnceValues(func() (*shared, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	p, err := usualPlace()
	if err != nil {
		return nil, err
	}
	return p.join(ctx)
})

// join makes this process a user of the cluster. From then on the cluster runs, and has
// the template of this program's migrations.
func (p place) join(ctx context.Context) (*shared, error) {
	gate, err := lock(ctx, p.gate(), durable.Exclusive)
	if err != nil {
		return nil, err
	}
	defer gate.Close()
	s := &shared{}
	s.server, err = embedded.Start(ctx, embedded.Config{Dir: p.dir, Volatile: true, MaxConnections: 1000})
	if err != nil {
		return nil, err
	}
	s.server.Detach()
	if err := p.watch(); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	s.users, err = lock(ctx, p.users(), durable.Shared)
	return s, err
}

func (s *shared) prepare(ctx context.Context) (err error) {
	url := s.server.URL("postgres", embedded.Superuser)
	if err := postgres.CreateRoles(ctx, url); err != nil {
		return err
	}
	if s.admin, err = pgxpool.New(ctx, url); err != nil {
		return err
	}
	if s.template, err = templateName(); err != nil {
		return err
	}
	if err := s.exec(ctx, plainOwner); err != nil {
		return err
	}
	return s.ensureTemplate(ctx)
}

// plainOwner revokes a right that a checkout of another commit, which shares the
// cluster, may have granted to the owner.
const plainOwner = `DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = '` + embedded.Owner + `' AND rolcreaterole) THEN
        ALTER ROLE ` + embedded.Owner + ` NOCREATEROLE;
    END IF;
END $$`

// exec runs a statement that takes no parameters.
func (s *shared) exec(ctx context.Context, sql string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := s.admin.Exec(ctx, sql)
	return err
}

// templateName is derived from the owner and the contents of the migrations, so that
// a changed one makes a new template.
func templateName() (string, error) {
	hash := sha256.New()
	_, _ = fmt.Fprintln(hash, embedded.Owner)
	err := fs.WalkDir(migrations.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(migrations.FS, name)
		_, _ = fmt.Fprintf(hash, "%s %d\n", name, len(content))
		_, _ = hash.Write(content)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read migrations: %w", err)
	}
	return fmt.Sprintf("template_%x", hash.Sum(nil)[:8]), nil
}

// ensureTemplate creates the template unless it exists and is complete; a complete one
// is marked as a template. The caller holds the gate.
func (s *shared) ensureTemplate(ctx context.Context) error {
	var complete bool
	err := s.admin.QueryRow(ctx,
		`SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datistemplate)`, s.template).Scan(&complete)
	if err != nil || complete {
		return err
	}
	if err := s.exec(ctx, `DROP DATABASE IF EXISTS `+s.template); err != nil {
		return err
	}
	if err := s.server.EnsureDatabase(ctx, s.template); err != nil {
		return err
	}
	if _, err := postgres.Migrate(ctx, s.server.URL(s.template, embedded.Owner)); err != nil {
		return err
	}
	return s.exec(ctx, `ALTER DATABASE `+s.template+` IS_TEMPLATE true ALLOW_CONNECTIONS false`)
}
