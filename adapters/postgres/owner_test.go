package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/replay"
)

// owned is a cluster whose database belongs to a superuser who is not the one that the
// cluster was made with, so that Postgres knows everything that this role owns.
type owned struct {
	*embedded.Server
	t             *testing.T
	super, bygone string // URLs
}

func ownedBySuperuser(t *testing.T) *owned {
	t.Helper()
	s := bareCluster(t)
	o := &owned{Server: s, t: t, super: s.URL("frontdesk", embedded.Superuser), bygone: s.URL("frontdesk", "bygone")}
	enginetest.Execute(t, s.URL("postgres", embedded.Superuser), `CREATE ROLE bygone SUPERUSER LOGIN`)
	enginetest.Execute(t, s.URL("postgres", embedded.Superuser), `CREATE DATABASE frontdesk OWNER bygone`)
	if err := postgres.CreateRoles(t.Context(), o.bygone); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Migrate(t.Context(), o.bygone); err != nil {
		t.Fatal(err)
	}
	return o
}

// ask returns the rows of a question with one column of text, as a role.
func (o *owned) ask(role, question string) []string {
	o.t.Helper()
	conn, err := pgx.Connect(o.t.Context(), o.URL("frontdesk", role))
	if err != nil {
		o.t.Fatal(err)
	}
	defer conn.Close(o.t.Context())
	rows, _ := conn.Query(o.t.Context(), question)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		o.t.Fatal(err)
	}
	return found
}

// belongings returns the objects that a role owns, in the database or outside it.
func (o *owned) belongings(role string) []string {
	o.t.Helper()
	return o.ask(embedded.Superuser, `SELECT pg_describe_object(classid, objid, objsubid) FROM pg_shdepend
		WHERE refobjid = '`+role+`'::regrole AND deptype = 'o' AND classid <> 'pg_default_acl'::regclass ORDER BY 1`)
}

// check returns why the owner is refused.
func (o *owned) check() error {
	o.t.Helper()
	pool, err := postgres.NewPool(o.t.Context(), o.URL("frontdesk", postgres.AppRole), 0)
	if err != nil {
		o.t.Fatal(err)
	}
	defer pool.Close()
	return postgres.CheckOwner(o.t.Context(), pool)
}

func TestOwnerIsChangedOnce_D51(t *testing.T) {
	t.Parallel()
	o := ownedBySuperuser(t)
	enginetest.Execute(t, o.bygone, `CREATE SCHEMA kept; CREATE TABLE kept.progress (); CREATE SCHEMA pooler; CREATE FUNCTION pooler.look_up() RETURNS int LANGUAGE sql AS 'SELECT 1'`)
	enginetest.Execute(t, o.super, `CREATE ROLE plain LOGIN`)
	was := o.belongings("bygone")
	if err := o.check(); !strings.Contains(enginetest.Text(err), "bygone is a superuser and owns the schema") {
		t.Errorf("the old owner: %v", err)
	}
	given, err := postgres.ChangeOwner(t.Context(), o.super, "plain")
	if err != nil {
		t.Fatal(err)
	}
	if is := given.String(); !strings.HasPrefix(is, "gave to plain: 1 × database, 1 × schema, ") || !strings.HasSuffix(is, "1 × default right, 1 × right to see standbys") {
		t.Errorf("it prints %q", is)
	}
	others := []string{"function pooler.look_up()", "schema pooler"} // nothing of frontdesk
	if left := o.belongings("bygone"); !slices.Equal(left, others) {
		t.Errorf("the old owner has %v, want %v", left, others)
	}
	if now := o.belongings("plain"); len(now) != len(was)-len(others) || len(now) < 40 {
		t.Errorf("of %d things the new owner has %d", len(was), len(now))
	}
	if err := o.check(); err != nil {
		t.Errorf("the new owner: %v", err)
	}
	for _, again := range []string{o.super, o.URL("frontdesk", "plain")} {
		if given, err := postgres.ChangeOwner(t.Context(), again, "plain"); err != nil || given.String() != "plain owns everything already" {
			t.Errorf("again: %v, %v", given, err)
		}
	}
}

func TestNewOwnerHasOldOwnersRights_D51(t *testing.T) {
	t.Parallel()
	o := ownedBySuperuser(t)
	enginetest.Execute(t, o.super, `CREATE ROLE plain LOGIN; CREATE ROLE "the next" LOGIN; GRANT "the next" TO plain; ALTER ROLE plain CREATEDB`)
	if _, err := postgres.ChangeOwner(t.Context(), o.super, "plain"); err != nil {
		t.Fatal(err)
	}
	plain := o.URL("frontdesk", "plain")
	if migrated, err := postgres.Migrate(t.Context(), plain); err != nil || len(migrated.Applied) > 0 {
		t.Errorf("migrating as the new owner: %v, %v", migrated, err)
	}
	if standbys := o.ask(postgres.AppRole, `SELECT synchronous_standbys()::text`); !slices.Equal(standbys, []string{"0"}) {
		t.Errorf("the serving role sees %v standbys, want 0", standbys)
	}
	enginetest.Execute(t, o.URL("frontdesk", postgres.AuditRole), `SELECT record_audit_query(gen_random_uuid(), '', 'ann', 'audit log', '{}', NULL, true, 1)`)
	enginetest.Execute(t, plain, `CREATE SCHEMA `+replay.Schema+`; DROP SCHEMA `+replay.Schema)

	enginetest.Execute(t, plain, `CREATE TABLE later (n int)`)
	enginetest.Execute(t, o.URL("frontdesk", postgres.AuditRole), `SELECT FROM later`)

	// A plain owner may also hand over.
	enginetest.Execute(t, o.super, `GRANT pg_read_all_stats TO "the next"`)
	if _, err := postgres.ChangeOwner(t.Context(), plain, "the next"); err != nil {
		t.Error(err)
	}
	if left := o.belongings("plain"); len(left) > 0 {
		t.Errorf("the old owner has %v", left)
	}
}

// A superuser who migrates leaves nothing behind that they own.
func TestMigratorActsAsOwner_D51(t *testing.T) {
	t.Parallel()
	s := bareCluster(t)
	o := &owned{Server: s, t: t}
	super := s.URL("postgres", embedded.Superuser)
	enginetest.Execute(t, super, `CREATE ROLE plain LOGIN`)
	enginetest.Execute(t, super, `CREATE DATABASE frontdesk`)
	super = s.URL("frontdesk", embedded.Superuser)
	if err := postgres.CreateRoles(t.Context(), super); err != nil {
		t.Fatal(err)
	}
	if given, err := postgres.ChangeOwner(t.Context(), super, "plain"); err != nil || given.String() != "gave to plain: 1 × database, 1 × right to see standbys" {
		t.Fatalf("an empty database: %v, %v", given, err)
	}
	for _, files := range []int{2, 3} {
		if _, err := postgres.MigrateFrom(t.Context(), super, firstSteps(files)); err != nil {
			t.Fatal(err)
		}
	}
	if owners := o.ask(embedded.Superuser, `SELECT DISTINCT tableowner::text FROM pg_tables WHERE schemaname = 'public'`); !slices.Equal(owners, []string{"plain"}) {
		t.Errorf("the tables belong to %v", owners)
	}
}

func TestRefusedOwnerNamesTheFix_D51(t *testing.T) {
	t.Parallel()
	o := ownedBySuperuser(t)
	was := o.belongings("bygone")
	enginetest.Execute(t, o.super, `CREATE ROLE plain LOGIN; CREATE ROLE stranger LOGIN; CREATE ROLE team; GRANT team TO frontdesk_app`)
	for _, c := range []struct{ as, role, want string }{
		{o.super, `No"body`, `the role No"body does not exist: as a superuser, CREATE ROLE "No""body" LOGIN`},
		{o.super, embedded.Superuser, "postgres is a superuser"},
		{o.super, postgres.AppRole, "name a role that serves nothing"},
		{o.super, postgres.AuditRole, "name a role that serves nothing"},
		{o.super, "team", "name a role that serves nothing"},
		{o.URL("frontdesk", "stranger"), "plain", "run this as a superuser"},
	} {
		if _, err := postgres.ChangeOwner(t.Context(), c.as, c.role); !strings.Contains(enginetest.Text(err), c.want) {
			t.Errorf("%s: %v, want %s", c.role, err, c.want)
		}
	}
	reading, err := pgx.Connect(t.Context(), o.super)
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close(t.Context())
	for _, statement := range []string{`BEGIN`, `SELECT FROM log`} {
		if _, err := reading.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	_, err = postgres.Migrator{URL: o.super, Wait: 10 * time.Second}.ChangeOwner(t.Context(), "plain")
	who := fmt.Sprintf("table log is held by pid %d (user postgres, idle in transaction, last statement SELECT, since ", reading.PgConn().PID())
	if !strings.Contains(enginetest.Text(err), who) || !strings.Contains(enginetest.Text(err), "ALTER TABLE log OWNER TO plain") {
		t.Errorf("while an auditor reads: %v, want %s", err, who)
	}
	if is := o.belongings("bygone"); !slices.Equal(is, was) {
		t.Errorf("a refused change has changed owners: %d objects of %d are left", len(is), len(was))
	}
}

// An owner who can create roles makes itself one that runs programs on the database's machine.
func TestDangerousOwnersAreRefused(t *testing.T) {
	t.Parallel()
	s := bareCluster(t)
	super := s.URL("postgres", embedded.Superuser)
	if err := postgres.CreateRoles(t.Context(), super); err != nil {
		t.Fatal(err)
	}
	enginetest.Execute(t, super, `CREATE ROLE plain LOGIN`)
	enginetest.Execute(t, super, `CREATE DATABASE frontdesk OWNER plain`)
	o := &owned{Server: s, t: t, super: s.URL("frontdesk", embedded.Superuser)}
	plain := s.URL("frontdesk", "plain")
	for n, c := range []struct{ give, take, want string }{
		{`ALTER ROLE plain CREATEROLE`, `ALTER ROLE plain NOCREATEROLE`, `plain owns the schema and may create roles, by which it can run programs on the database's machine: as a superuser, ALTER ROLE "plain" NOCREATEROLE`},
		{`GRANT pg_execute_server_program TO plain`, `REVOKE pg_execute_server_program FROM plain`, `as a superuser, REVOKE pg_execute_server_program FROM "plain"`},
		{`GRANT pg_read_server_files TO plain`, `REVOKE pg_read_server_files FROM plain`, `as a superuser, REVOKE pg_read_server_files FROM "plain"`},
		{`CREATE ROLE between; GRANT pg_write_server_files TO between; GRANT between TO plain`, `REVOKE between FROM plain`, `is a member of pg_write_server_files`},
	} {
		enginetest.Execute(t, o.super, c.give)
		for as, url := range map[string]string{"the owner": plain, "a superuser": o.super} {
			if _, err := postgres.Migrate(t.Context(), url); !strings.Contains(enginetest.Text(err), c.want) {
				t.Errorf("%s: %s migrates: %v", c.give, as, err)
			}
		}
		if n > 0 { // there is a schema since the first was taken away
			if err := o.check(); !strings.Contains(enginetest.Text(err), c.want) {
				t.Errorf("%s: serve gets %v", c.give, err)
			}
		}
		enginetest.Execute(t, o.super, c.take)
		if _, err := postgres.Migrate(t.Context(), plain); err != nil {
			t.Fatal(err)
		}
		if err := o.check(); err != nil {
			t.Errorf("%s: %v", c.take, err)
		}
	}
}

// Until Postgres 15, every role could make functions in the schema public, and a dump keeps
// that right. Those of the owner would call them as the owner, so the baseline revokes it.
func TestStrangersMakeNoFunctions_D52(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	_, err := db.SuperuserPool(t).Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION frontdesk_owner; GRANT ALL ON SCHEMA public TO PUBLIC`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Migrate(t.Context(), db.AdminURL); err != nil {
		t.Fatal(err)
	}
	_, err = db.Pool(t).Exec(t.Context(), `CREATE FUNCTION public.unnest(int8multirange) RETURNS SETOF int8range LANGUAGE sql AS 'SELECT NULL::int8range'`)
	if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != "42501" {
		t.Errorf("the serving role makes a function: %v", err)
	}
}
