package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/projections"
)

// The roles that migrations grant to. They belong to the whole cluster, not to
// one database, and own nothing: the owner who migrates is somebody else.
const (
	AppRole   = "frontdesk_app"   // serves: reads and adds, changes no event
	AuditRole = "frontdesk_audit" // reads
)

// CreateRoles makes [AppRole] and [AuditRole] where they are missing, able to
// log in but without a password: set one, or map them by certificate or peer.
// It may run any number of times and at once. adminURL needs CREATEROLE.
func CreateRoles(ctx context.Context, adminURL string) error {
	conn, err := pgx.Connect(ctx, adminURL)
	if err != nil {
		return fmt.Errorf("connect to create roles: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, role := range []string{AppRole, AuditRole} {
		if _, err := conn.Exec(ctx, fmt.Sprintf(createRole, role)); err != nil {
			return fmt.Errorf("create role %s: %w", role, err)
		}
	}
	return requireRoles(ctx, conn)
}

// The unique index on role names is the only lock that spans databases
// (advisory locks do not): who comes second waits for the first, then fails
// with unique_violation, and that is success.
const createRole = `DO $$ BEGIN
    CREATE ROLE %s LOGIN NOSUPERUSER;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$`

// requireRoles refuses a cluster without the roles, and one where a role
// could undo what keeps events unchanged.
func requireRoles(ctx context.Context, db projections.Querier) error {
	var found, superusers int
	err := db.QueryRow(ctx,
		`SELECT count(*), count(*) FILTER (WHERE rolsuper) FROM pg_roles WHERE rolname IN ($1, $2)`, AppRole, AuditRole).Scan(&found, &superusers)
	switch {
	case err != nil:
		return fmt.Errorf("look for roles: %w", err)
	case found < 2:
		return fmt.Errorf("the roles %s and %s do not exist: run frontdesk migrate --create-roles", AppRole, AuditRole)
	case superusers > 0:
		return fmt.Errorf("%s or %s is a superuser, whom no rule stops from changing events: ALTER ROLE … NOSUPERUSER", AppRole, AuditRole)
	}
	return nil
}
