package replay

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/domain/fault"
)

// ErrPooled is the refusal of a connection that is lent by a pooler.
var ErrPooled = fault.New(fault.Refused, "pooled-connection", "A connection pooler is between this program and Postgres: "+
	"the temporary tables of this command would stay on its connections and hide the live ones from others. Name Postgres itself with --database-url.")

// direct refuses a connection whose backend is not the one that it was greeted
// by: a pooler lends it for a transaction.
func direct(ctx context.Context, conn *pgxpool.Conn) error {
	var backend uint32
	if err := conn.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&backend); err != nil {
		return fmt.Errorf("ask which backend this is: %w", err)
	}
	if backend != conn.Conn().PgConn().PID() {
		return ErrPooled
	}
	return nil
}
