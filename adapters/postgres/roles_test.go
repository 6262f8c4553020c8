package postgres_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/enginetest"
)

// bareCluster is a cluster without the roles.
func bareCluster(t *testing.T) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), Volatile: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestRolesAreMadeOnceBeforeMigrating(t *testing.T) {
	t.Parallel()
	s := bareCluster(t)
	one, other := s.URL("postgres", embedded.Superuser), s.URL("template1", embedded.Superuser)
	if _, err := postgres.Migrate(t.Context(), one); !strings.Contains(enginetest.Text(err), "run frontdesk roles | psql as a superuser") {
		t.Errorf("migrating without roles: %v", err)
	}

	var creators sync.WaitGroup
	for _, url := range []string{one, other, one, other} {
		creators.Go(func() {
			if err := postgres.CreateRoles(t.Context(), url); err != nil {
				t.Error(err)
			}
		})
	}
	creators.Wait()
	if _, err := postgres.Migrate(t.Context(), one); err != nil {
		t.Errorf("migrating with roles: %v", err)
	}
	for _, role := range []string{postgres.AppRole, postgres.AuditRole, postgres.SignerRole} {
		if rights := rightsOf(t, s, role); rights != "logs in" {
			t.Errorf("%s %s, want that it logs in and no more", role, rights)
		}
	}

	enginetest.Execute(t, one, `ALTER ROLE frontdesk_app SUPERUSER`)
	for what, err := range map[string]error{"creating": postgres.CreateRoles(t.Context(), one), "migrating": enginetest.Second(postgres.Migrate(t.Context(), one))} {
		if !strings.Contains(enginetest.Text(err), "is a superuser") {
			t.Errorf("%s with a serving superuser: %v", what, err)
		}
	}
}

// rightsOf connects as the role and lists its rights in the whole cluster.
func rightsOf(t *testing.T, s *embedded.Server, role string) (rights string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL("postgres", role))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	err = conn.QueryRow(t.Context(), `SELECT concat_ws(', ',
		CASE WHEN rolcanlogin THEN 'logs in' END, CASE WHEN rolsuper THEN 'superuser' END,
		CASE WHEN rolcreaterole THEN 'creates roles' END, CASE WHEN rolcreatedb THEN 'creates databases' END,
		CASE WHEN rolreplication THEN 'replicates' END, CASE WHEN rolbypassrls THEN 'bypasses row security' END)
		FROM pg_roles WHERE rolname = current_user`).Scan(&rights)
	if err != nil {
		t.Fatal(err)
	}
	return rights
}
