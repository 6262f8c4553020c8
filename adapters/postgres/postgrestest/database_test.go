package postgrestest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
)

func TestDatabaseIsServedWithFewRights(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	if err := postgres.CheckSchema(t.Context(), db.Pool(t)); err != nil {
		t.Errorf("the serving role says: %v", err)
	}
	for url, want := range map[string]string{db.URL: postgres.AppRole, db.AdminURL: embedded.Owner, db.SuperuserURL: embedded.Superuser} {
		if got := ask(t, url, `SELECT current_user::text`); got != want {
			t.Errorf("connected as %s, want %s", got, want)
		}
	}
	if _, err := db.Pool(t).Exec(t.Context(), `DELETE FROM events`); err == nil {
		t.Error("the serving role may delete events")
	}
}

func TestADatabaseBelongsToOneTest(t *testing.T) {
	t.Parallel()
	var gone string
	t.Run("the one", func(t *testing.T) {
		db := postgrestest.New(t)
		gone = ask(t, db.URL, `SELECT current_database()::text`)
		if _, err := db.AdminPool(t).Exec(t.Context(), `CREATE TABLE mine ()`); err != nil {
			t.Fatal(err)
		}
	})
	db := postgrestest.New(t)
	if got := ask(t, db.URL, `SELECT count(*)::text FROM pg_class WHERE relname = 'mine'`); got != "0" {
		t.Error("another test's table is here")
	}
	if got := ask(t, db.URL, `SELECT count(*)::text FROM pg_database WHERE datname = '`+gone+`'`); got != "0" {
		t.Error("another test's database outlived it")
	}
}

func TestOwnClusterCanBeKilled(t *testing.T) {
	t.Parallel()
	s := postgrestest.Cluster(t)
	if _, err := postgres.Migrate(t.Context(), s.URL("frontdesk", embedded.Owner)); err != nil {
		t.Error(err)
	}
	must(t, s.Stop(context.Background()))
	<-s.Done()
}

func BenchmarkNew(b *testing.B) {
	postgrestest.New(b) // the first one makes the cluster and the template
	for b.Loop() {
		postgrestest.New(b)
	}
}

func ask(t *testing.T, url, sql string) (answer string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(t.Context())
	must(t, conn.QueryRow(t.Context(), sql).Scan(&answer))
	return answer
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
