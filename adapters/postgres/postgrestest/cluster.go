package postgrestest

import (
	"context"
	"testing"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
)

// Cluster starts a cluster of tb's own, durable like the sandbox's, with the
// roles and a migrated database "frontdesk"; it is gone when tb is over. It is
// for tests that kill Postgres, or dump and restore it: it takes a second or
// two where [New] takes milliseconds.
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
	_, err := postgres.Migrate(ctx, s.URL("frontdesk", embedded.Superuser))
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
