package postgres

import (
	"context"
	"fmt"

	"frontdesk/projections"
)

// Room is how many connections the database has for the role that asks, and which of its
// limits that is.
type Room struct {
	Connections int
	Limit       string
}

// Fits returns how many processes of so many connections each there is room for.
func (r Room) Fits(connections int) int { return r.Connections / connections }

// RoomFor returns the room of the role that this program has signed in as. What others use
// of it is not taken off. Behind a pooler it is the pooler's room. The serving role may call it.
func RoomFor(ctx context.Context, db projections.Querier) (room Room, err error) {
	err = db.QueryRow(ctx, `
		SELECT connections, name FROM (
			SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
				- coalesce(current_setting('reserved_connections', true)::int, 0) AS connections, 'max_connections less what is reserved' AS name
			UNION ALL SELECT datconnlimit, 'the connection limit of the database' FROM pg_database WHERE datname = current_database()
			UNION ALL SELECT rolconnlimit, 'the connection limit of the role' FROM pg_roles WHERE rolname = session_user
		) limits WHERE connections >= 0 ORDER BY connections LIMIT 1`).Scan(&room.Connections, &room.Limit)
	if err != nil {
		return Room{}, fmt.Errorf("ask how many connections the database has: %w", err)
	}
	return room, nil
}

// Roles are who serves and who owns what is served.
type Roles struct {
	Serves    string // that this program has signed in as
	Superuser bool   // whom no rule of the database binds
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
