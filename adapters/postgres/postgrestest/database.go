package postgrestest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// Database is a migrated database of one test, removed after the test.
type Database struct {
	URL          string // as the serving role, frontdesk_app
	AdminURL     string // as its owner, a plain role
	SuperuserURL string // as a superuser of the cluster

	moved time.Duration // the clock of erasures
}

// PassClock lets time pass for erasures that wait.
func (d *Database) PassClock(tb testing.TB, by time.Duration) {
	tb.Helper()
	d.moved += by
	if err := postgres.MoveClock(tb.Context(), d.SuperuserURL, d.moved); err != nil {
		tb.Fatal(err)
	}
}

// connectLimit is for machines on which many tests run at once.
const connectLimit = "&connect_timeout=60"

// New creates a database for tb, or fails tb.
func New(tb testing.TB) *Database {
	tb.Helper()
	s, err := sharedCluster()
	if err != nil {
		tb.Fatalf("shared Postgres for tests: %v", err)
	}
	name := "test_" + strings.ToLower(rand.Text())
	// Files are copied: the default strategy writes the whole template to the WAL,
	// which takes three times as long.
	if err := s.exec(tb.Context(), "CREATE DATABASE "+name+" OWNER "+embedded.Owner+" TEMPLATE "+s.template+" STRATEGY file_copy"); err != nil {
		tb.Fatalf("create database: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			tb.Errorf("drop database: %v", err)
		}
	})
	return &Database{
		URL:          s.server.URL(name, postgres.AppRole) + connectLimit,
		AdminURL:     s.server.URL(name, embedded.Owner) + connectLimit,
		SuperuserURL: s.server.URL(name, embedded.Superuser) + connectLimit,
	}
}

// Pool opens a pool as the serving role, and closes it after tb. A test that needs
// another kind of pool opens it on URL.
func (d *Database) Pool(tb testing.TB) *pgxpool.Pool {
	tb.Helper()
	return pool(tb, d.URL)
}

// AdminPool opens a pool as the owner, and closes it after tb.
func (d *Database) AdminPool(tb testing.TB) *pgxpool.Pool {
	tb.Helper()
	return pool(tb, d.AdminURL)
}

// SuperuserPool opens a pool as a superuser, and closes it after tb.
func (d *Database) SuperuserPool(tb testing.TB) *pgxpool.Pool {
	tb.Helper()
	return pool(tb, d.SuperuserURL)
}

func pool(tb testing.TB, url string) *pgxpool.Pool {
	tb.Helper()
	p, err := postgres.NewPool(tb.Context(), url, 0)
	if err != nil {
		tb.Fatalf("open pool: %v", err)
	}
	tb.Cleanup(p.Close)
	return p
}

// Master is the master key of [Keyring].
var Master = sealing.MasterKey{1}

// Keyring returns a keyring with [Master] over a pool. It shares no keys in memory with
// another keyring.
func Keyring(tb testing.TB, p *pgxpool.Pool, codec *event.Codec) *keyring.Keyring {
	tb.Helper()
	keys := &keyring.Keyring{DB: postgres.On(p), Codec: codec, Masters: sealing.NewRing(Master)}
	if err := keys.Start(tb.Context()); err != nil {
		tb.Fatalf("start the keyring: %v", err)
	}
	return keys
}

// Upload encrypts and stores a file of at most 256 KiB for a practice, and returns a with its
// identifier, size, digest and key.
func Upload(tb testing.TB, to *uploads.Store, tenant string, a request.Attachment, content []byte) request.Attachment {
	tb.Helper()
	key := sealing.NewKey()
	a.ID.UUID, a.Size, a.Key = event.NewID(), int64(len(content)), key.Base64()
	file, err := key.File(tenant, a.ID.UUID)
	if err != nil {
		tb.Fatalf("encrypt a file: %v", err)
	}
	sealed := file.Seal(slices.Clone(content), 0, true)
	a.SHA256 = sha256.Sum256(sealed)
	if err := to.AddChunk(tb.Context(), tenant, a.ID, 0, sealed); err != nil {
		tb.Fatalf("store a file: %v", err)
	}
	return a
}

// Cluster starts a cluster for tb only, durable like the sandbox's, with the roles and
// a migrated database "frontdesk". It is removed after tb. It is for tests that kill
// Postgres, or dump and restore it: it takes a second or two, where [New] takes
// milliseconds.
func Cluster(tb testing.TB) *embedded.Server {
	tb.Helper()
	dir := tb.TempDir()
	s, err := embedded.Start(tb.Context(), embedded.Config{Dir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { discard(tb, s, dir) })
	if err := provide(tb.Context(), s); err != nil {
		tb.Fatalf("prepare cluster: %v", err)
	}
	return s
}

func provide(ctx context.Context, s *embedded.Server) error {
	if err := postgres.CreateRoles(ctx, s.URL("postgres", embedded.Superuser)); err != nil {
		return err
	}
	if err := s.EnsureDatabase(ctx, "frontdesk"); err != nil {
		return err
	}
	_, err := postgres.Migrate(ctx, s.URL("frontdesk", embedded.Owner))
	return err
}

func discard(tb testing.TB, s *embedded.Server, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		tb.Error(err)
	}
	if err := embedded.Remove(ctx, dir); err != nil {
		tb.Error(err)
	}
}

// Planned returns how often each prepared statement of a pool's only connection had a
// custom plan. After five executions Postgres keeps a generic plan, unless it estimates
// that custom plans cost less.
func Planned(tb testing.TB, pool *pgxpool.Pool) map[string]int {
	tb.Helper()
	if pool.Config().MaxConns != 1 {
		tb.Fatal("statements are prepared by each connection: ask a pool of one")
	}
	rows, _ := pool.Query(tb.Context(), `SELECT statement, custom_plans FROM pg_prepared_statements`)
	times, statement, n := map[string]int{}, "", 0
	if _, err := pgx.ForEachRow(rows, []any{&statement, &n}, func() error { times[statement] = n; return nil }); err != nil {
		tb.Fatal(err)
	}
	return times
}
