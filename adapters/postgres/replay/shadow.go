package replay

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/projections"
)

const (
	live = "public" // the schema of the live tables
	// Temporary is the schema that each connection has to itself and that ends with the
	// connection. A read-only role can use it as well.
	Temporary = "pg_temp"
)

// Shadow is the tables of some projections in a schema of their own, built from the
// log. It has its own connection, and is not safe for concurrent use.
type Shadow struct {
	conn        *pgxpool.Conn
	db          postgres.DB // queries through conn
	schema      string
	run         uuid.UUID // distinguishes the notes of this shadow from others'
	projections []projections.Projection
}

// open returns a shadow, and creates its missing tables.
func open(ctx context.Context, pool *pgxpool.Pool, schema string, all []projections.Projection) (*Shadow, error) {
	conn, err := postgres.Acquire(ctx, pool)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	s := &Shadow{conn, postgres.On(conn), schema, event.NewID(), all}
	if err := s.create(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("make the tables of %s: %w", schema, err)
	}
	return s, nil
}

// create creates the schema, its tables and the one for the progress.
func (s *Shadow) create(ctx context.Context) (err error) {
	do := func(sql string, args ...any) {
		if err == nil {
			_, err = s.db.Exec(ctx, sql, args...)
		}
	}
	if s.schema == Temporary {
		err = s.direct(ctx)
	} else {
		do(`CREATE SCHEMA IF NOT EXISTS ` + quoted(s.schema))
	}
	do(`CREATE TABLE IF NOT EXISTS ` + quoted(s.schema, "progress") + ` (projection text PRIMARY KEY, idx bigint NOT NULL)`)
	for _, p := range s.projections {
		for _, table := range projections.TablesOf(p) {
			do(`CREATE TABLE IF NOT EXISTS ` + quoted(s.schema, table.Name) + ` (LIKE ` + quoted(live, table.Name) + ` INCLUDING ALL)`)
		}
		do(`INSERT INTO `+quoted(s.schema, "progress")+` VALUES ($1, 0) ON CONFLICT DO NOTHING`, p.Name())
	}
	return err
}

// direct refuses a connection whose backend differs from the one that it was opened
// with: a pooler lends backends for one transaction each.
func (s *Shadow) direct(ctx context.Context) error {
	var backend uint32
	if err := s.db.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&backend); err != nil {
		return fmt.Errorf("ask which backend this is: %w", err)
	}
	if backend != s.conn.Conn().PgConn().PID() {
		return ErrPooled
	}
	return nil
}

// ErrPooled refuses a pooler's connection.
var ErrPooled = fault.New(fault.Refused, "pooled-connection", "A connection pooler is between this program and Postgres: "+
	"the temporary tables of this command would stay on its connections and hide the live ones from others. Name Postgres itself with --database-url.")

// View runs the program's own queries on the shadow instead of the live tables.
func (s *Shadow) View(ctx context.Context, ask func(projections.Querier) error) error {
	return s.db.InTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if err := use(ctx, tx, s.schema); err != nil {
			return err
		}
		return ask(tx)
	})
}

// Close releases the connection. The [Temporary] schema ends with it; another schema
// stays.
func (s *Shadow) Close() {
	if s.schema == Temporary {
		_ = s.conn.Conn().Close(context.Background())
	}
	s.conn.Release()
}

// drop removes a schema and everything in it.
func drop(ctx context.Context, db postgres.DB, schema string) error {
	_, err := db.Exec(ctx, `DROP SCHEMA IF EXISTS `+quoted(schema)+` CASCADE`)
	return err
}

// use resolves unqualified names in one schema for the rest of the transaction, and
// nowhere else, so that a projection's statement cannot reach the other tables.
func use(ctx context.Context, tx pgx.Tx, schema string) error {
	_, err := tx.Exec(ctx, `SET LOCAL search_path = `+quoted(schema))
	return err
}

func quoted(names ...string) string { return pgx.Identifier(names).Sanitize() }
