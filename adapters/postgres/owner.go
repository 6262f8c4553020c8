package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/projections"
)

// belongings is everything of frontdesk in the database: the database itself, the objects
// of the schema public that belong to no extension, and the schemas in which audits have
// kept tables. A sequence goes with its table.
const belongings = `
WITH places AS (
	SELECT n.oid, nspname FROM pg_namespace n
	WHERE nspname = 'public' OR EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = 'progress')
), belongings AS (
	SELECT 1 AS rank, 'database' AS kind, format('DATABASE %I', datname) AS name, datdba AS owner
	FROM pg_database WHERE datname = current_database()
	UNION ALL
	SELECT 2, 'schema', format('SCHEMA %I', nspname), nspowner
	FROM pg_namespace JOIN places USING (oid, nspname) WHERE nspname <> 'public'
	UNION ALL
	SELECT 3, CASE relkind WHEN 'v' THEN 'view' WHEN 'S' THEN 'sequence' ELSE 'table' END, format('TABLE %s', c.oid::regclass), relowner
	FROM pg_class c JOIN places p ON p.oid = relnamespace
	WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND NOT EXISTS (SELECT FROM pg_depend
		WHERE classid = 'pg_class'::regclass AND objid = c.oid AND (deptype = 'e' OR relkind = 'S' AND deptype IN ('a', 'i')))
	UNION ALL
	SELECT 4, 'function', format('ROUTINE %s', f.oid::regprocedure), proowner
	FROM pg_proc f JOIN places p ON p.oid = pronamespace
	WHERE NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = f.oid AND deptype = 'e')
	UNION ALL
	SELECT 5, 'domain', format('DOMAIN %s', t.oid::regtype), typowner
	FROM pg_type t JOIN places p ON p.oid = typnamespace
	WHERE typtype = 'd' AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_type'::regclass AND objid = t.oid AND deptype = 'e')
)`

// OwnerError is the reason why a role must not own the schema: no rule of the database binds
// it, and the functions that run as their owner could do anything that it may (D51).
type OwnerError struct {
	Owner string
	Right string // the dangerous right: "SUPERUSER", "CREATEROLE", or a role of Postgres that it is a member of
}

// Error returns one line with the fix.
func (e *OwnerError) Error() string {
	name := pgx.Identifier{e.Owner}.Sanitize()
	switch e.Right {
	case "SUPERUSER":
		return e.Owner + " is a superuser and owns the schema, so no rule of the database binds it: run frontdesk migrate --change-owner ROLE"
	case "CREATEROLE":
		return e.Owner + " owns the schema and may create roles, by which it can run programs on the database's machine: as a superuser, ALTER ROLE " + name + " NOCREATEROLE"
	}
	return e.Owner + " owns the schema and is a member of " + e.Right + ", by which it reaches the database's machine: as a superuser, REVOKE " + e.Right + " FROM " + name
}

// dangers returns the right that makes a role dangerous as an owner; NULL if it has none. From
// Postgres 16 on, CREATEROLE gives no role that its holder does not have.
const dangers = `CASE WHEN rolsuper THEN 'SUPERUSER'
	WHEN rolcreaterole AND current_setting('server_version_num')::int < 160000 THEN 'CREATEROLE'
	WHEN pg_has_role(pg_roles.oid, 'pg_execute_server_program', 'MEMBER') THEN 'pg_execute_server_program'
	WHEN pg_has_role(pg_roles.oid, 'pg_read_server_files', 'MEMBER') THEN 'pg_read_server_files'
	WHEN pg_has_role(pg_roles.oid, 'pg_write_server_files', 'MEMBER') THEN 'pg_write_server_files' END`

// CheckOwner returns nil if the owners of tables and functions of the schema are plain roles,
// and an [*OwnerError] if one is not. The serving role may call it.
func CheckOwner(ctx context.Context, db projections.Querier) error {
	return ownerErrorOf(db.QueryRow(ctx, belongings+`
		SELECT rolname, danger FROM belongings JOIN pg_roles ON pg_roles.oid = owner CROSS JOIN LATERAL (SELECT `+dangers+` AS danger) d
		WHERE kind <> 'database' AND danger IS NOT NULL ORDER BY rolname LIMIT 1`))
}

// requirePlainOwner refuses to make a schema for a role that must not own one. A superuser may
// migrate: serve refuses the schema of one, and --change-owner gives it to a plain role.
func requirePlainOwner(ctx context.Context, db projections.Querier, owner string) error {
	return ownerErrorOf(db.QueryRow(ctx, `
		SELECT rolname, danger FROM pg_roles CROSS JOIN LATERAL (SELECT `+dangers+` AS danger) d WHERE rolname = $1 AND NOT rolsuper AND danger IS NOT NULL`,
		pgx.QueryExecModeSimpleProtocol, owner)) // a portal would keep its snapshot, and an index that is made waits for it
}

func ownerErrorOf(row pgx.Row) error {
	found := &OwnerError{}
	switch err := row.Scan(&found.Owner, &found.Right); {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("ask who owns the schema: %w", err)
	}
	return found
}

// CheckMakers returns the statement by which a superuser revokes the right to create
// functions next to those of the owner, and "" if no role that serves or audits has it. The
// owner's functions do not look there, but the next one might. The serving role may call
// it.
func CheckMakers(ctx context.Context, db projections.Querier) (fix string, err error) {
	err = db.QueryRow(ctx, `
		SELECT CASE WHEN has_schema_privilege($1::name, 'public', 'CREATE') OR has_schema_privilege($2::name, 'public', 'CREATE')
			THEN 'REVOKE CREATE ON SCHEMA public FROM PUBLIC, ' || $1 || ', ' || $3 || ', ' || $2 ELSE '' END`, AppRole, SignerRole, AuditRole).Scan(&fix)
	if err != nil {
		return "", fmt.Errorf("ask who may make functions: %w", err)
	}
	return fix, nil
}

// Given is the result of [ChangeOwner].
type Given struct {
	Role  string   // the new owner
	Kinds []string // of the objects given to it, such as "database" and "table", in order; one for each object
}

// String returns one line for the operator.
func (g Given) String() string {
	if len(g.Kinds) == 0 {
		return g.Role + " owns everything already"
	}
	var parts []string
	for i := 0; i < len(g.Kinds); {
		from := i
		for i < len(g.Kinds) && g.Kinds[i] == g.Kinds[from] {
			i++
		}
		parts = append(parts, fmt.Sprintf("%d × %s", i-from, g.Kinds[from]))
	}
	return "gave to " + g.Role + ": " + strings.Join(parts, ", ")
}

// ChangeOwner is [Migrator.ChangeOwner] for a database without other users.
func ChangeOwner(ctx context.Context, adminURL, role string) (Given, error) {
	return Migrator{URL: adminURL}.ChangeOwner(ctx, role)
}

// ChangeOwner gives everything of frontdesk in the database to a plain role, and with
// it the rights that the owner needs later: to make tables that auditors can read and,
// if an owner before could, to see standbys. It changes all or nothing, and nothing if
// it is done already. The migrator is a superuser, or may do all of that.
func (m Migrator) ChangeOwner(ctx context.Context, role string) (given Given, err error) {
	w, err := m.open(ctx)
	if err != nil {
		return Given{}, err
	}
	defer w.close(ctx)
	if err := requireOwner(ctx, w.conn, role); err != nil {
		return Given{}, err
	}
	if err := w.takeLock(ctx); err != nil {
		return Given{}, err
	}
	err = w.locks.Ask(ctx, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, w.lock.tx, func(tx pgx.Tx) (err error) { // a savepoint, so that the lock of migrators stays
			given, err = give(ctx, tx, role)
			return err
		})
	})
	if err != nil {
		return Given{}, err
	}
	if err := w.lock.Release(ctx); err != nil {
		return Given{}, fmt.Errorf("change the owner: %w", err)
	}
	return given, nil
}

// requireOwner refuses a role that must not own the database.
func requireOwner(ctx context.Context, db projections.Querier, role string) error {
	if err := requireRoles(ctx, db); err != nil {
		return err
	}
	var super, serves bool
	err := db.QueryRow(ctx, `
		SELECT rolsuper, pg_has_role($2::name, oid, 'MEMBER') OR pg_has_role($3::name, oid, 'MEMBER') FROM pg_roles WHERE rolname = $1`,
		role, AppRole, SignerRole).Scan(&super, &serves)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("the role %s does not exist: as a superuser, CREATE ROLE %s LOGIN", role, pgx.Identifier{role}.Sanitize())
	case err != nil:
		return fmt.Errorf("look for the new owner: %w", err)
	case super:
		return fmt.Errorf("%s is a superuser, whom no rule stops from changing events: name a plain role", role)
	case serves:
		return fmt.Errorf("%s or %s could act as %s: name a role that serves nothing", AppRole, SignerRole, role)
	}
	return requirePlainOwner(ctx, db, role)
}

// gifts are the statements that make $1 the owner, each with the kind of its object. The
// rights come last: those that tables of the old owners come with, to see standbys,
// and to make tables in a schema public that does not go with the database.
const gifts = belongings + `, former AS (SELECT DISTINCT owner FROM belongings WHERE owner <> $1::text::regrole)
SELECT kind, statement FROM (
	SELECT rank, kind, name, format('ALTER %s OWNER TO %s', name, $1::text::regrole) AS statement FROM belongings JOIN former USING (owner)
	UNION ALL
	SELECT DISTINCT 6, 'default right', '', format('ALTER DEFAULT PRIVILEGES FOR ROLE %s IN SCHEMA %I GRANT %s ON %s TO %s', $1::text::regrole, nspname,
		privilege_type, CASE defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'FUNCTIONS' ELSE 'TYPES' END,
		CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
	FROM pg_default_acl JOIN former ON owner = defaclrole JOIN places p ON p.oid = defaclnamespace, aclexplode(defaclacl) WHERE grantee <> defaclrole
	UNION ALL
	SELECT 7, 'right to see standbys', '', format('GRANT pg_read_all_stats TO %s', $1::text::regrole)
	WHERE NOT pg_has_role($1::text::regrole, 'pg_read_all_stats', 'USAGE') AND EXISTS (SELECT FROM former WHERE pg_has_role(owner, 'pg_read_all_stats', 'USAGE'))
	UNION ALL
	SELECT 7, 'right to make tables', '', format('GRANT USAGE, CREATE ON SCHEMA public TO %s', $1::text::regrole) FROM pg_namespace
	WHERE nspname = 'public' AND nspowner <> 'pg_database_owner'::regrole AND NOT has_schema_privilege($1::text::regrole, oid, 'CREATE')
) gifts ORDER BY rank, kind, name, statement`

func give(ctx context.Context, tx pgx.Tx, role string) (Given, error) {
	given := Given{Role: role}
	rows, _ := tx.Query(ctx, gifts, pgx.Identifier{role}.Sanitize())
	var kind, statement string
	var statements []string
	_, err := pgx.ForEachRow(rows, []any{&kind, &statement}, func() error {
		given.Kinds, statements = append(given.Kinds, kind), append(statements, statement)
		return nil
	})
	if err != nil {
		return Given{}, fmt.Errorf("list what is owned: %w", err)
	}
	for _, statement := range append([]string{Briefly}, statements...) {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return Given{}, notGiven(statement, err)
		}
	}
	return given, nil
}

// notGiven adds the fix to the error of a refused statement.
func notGiven(statement string, err error) error {
	const insufficientPrivilege = "42501"
	refused, _ := errors.AsType[*pgconn.PgError](err)
	if refused != nil && refused.Code == insufficientPrivilege {
		return fmt.Errorf("%s: %w: run this as a superuser", statement, err)
	}
	return fmt.Errorf("%s: %w", statement, err)
}
