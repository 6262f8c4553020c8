package postgrestest

import (
	"context"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
)

// shared is this process's part in the shared cluster.
type shared struct {
	server   *embedded.Server // let go of: no process owns it
	users    *os.File         // the users' lock, held as long as the process lives
	admin    *pgxpool.Pool
	template string // the database that new ones are copies of
}

// limit bounds what a test waits for its cluster.
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

// join makes this process a user of the cluster, which runs and has the
// template of this program's migrations from then on.
func (p place) join(ctx context.Context) (*shared, error) {
	gate, err := lock(ctx, p.gate(), syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer unlock(gate)
	s := &shared{}
	s.server, err = embedded.Start(ctx, embedded.Config{Dir: p.dir, Volatile: true, MaxConnections: 400})
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
	s.users, err = lock(ctx, p.users(), syscall.LOCK_SH)
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
	return s.ensureTemplate(ctx)
}

// exec runs a statement that no parameter can be passed to.
func (s *shared) exec(ctx context.Context, sql string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := s.admin.Exec(ctx, sql)
	return err
}
