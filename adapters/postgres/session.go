package postgres

import (
	"context"
	"fmt"

	"frontdesk/projections"
)

// ConnectionLimit is the number of connections that a role may have.
type ConnectionLimit struct {
	Connections int
	Source      string // the setting that it comes from
}

// Processes returns how many processes of so many connections each fit into the limit.
func (l ConnectionLimit) Processes(connections int) int { return l.Connections / connections }

// ConnectionLimitOf returns the limit of the role that this program has signed in as. It
// does not subtract connections in use. Behind a pooler it is the pooler's limit. The serving
// role may call it.
func ConnectionLimitOf(ctx context.Context, db projections.Querier) (limit ConnectionLimit, err error) {
	err = db.QueryRow(ctx, `
		SELECT connections, name FROM (
			SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
				- coalesce(current_setting('reserved_connections', true)::int, 0) AS connections, 'max_connections less what is reserved' AS name
			UNION ALL SELECT datconnlimit, 'the connection limit of the database' FROM pg_database WHERE datname = current_database()
			UNION ALL SELECT rolconnlimit, 'the connection limit of the role' FROM pg_roles WHERE rolname = session_user
		) limits WHERE connections >= 0 ORDER BY connections LIMIT 1`).Scan(&limit.Connections, &limit.Source)
	if err != nil {
		return ConnectionLimit{}, fmt.Errorf("ask how many connections the database has: %w", err)
	}
	return limit, nil
}

// Roles are the serving role and the owner of the events.
type Roles struct {
	Serves    string // the role that this program has signed in as
	Superuser bool   // no rule of the database binds it
	App       bool   // it has the rights of [AppRole]
	Owner     string // of the events
}

// RolesOf returns the roles of a session. The serving role may call it.
func RolesOf(ctx context.Context, db projections.Querier) (r Roles, err error) {
	err = db.QueryRow(ctx, `
		SELECT rolname, rolsuper, pg_has_role(oid, $1::name, 'USAGE'), (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'events'::regclass)
		FROM pg_roles WHERE rolname = session_user`, AppRole).Scan(&r.Serves, &r.Superuser, &r.App, &r.Owner)
	if err != nil {
		return Roles{}, fmt.Errorf("ask which roles serve and own: %w", err)
	}
	return r, nil
}

// SessionUser returns the role that this program has signed in to the database as. SET
// ROLE does not change it. Behind a pooler it is the role of the pooler's connection.
func SessionUser(ctx context.Context, db projections.Querier) (user string, err error) {
	if err := db.QueryRow(ctx, `SELECT session_user`).Scan(&user); err != nil {
		return "", fmt.Errorf("ask who the database says this is: %w", err)
	}
	return user, nil
}
