package replay

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/fault"
	"frontdesk/projections"
)

const (
	live = "public" // the schema of the tables that serve
	// Temporary is the schema that a connection has to itself and that ends
	// with it. A role that may only read may still use it.
	Temporary = "pg_temp"
)

// Shadow is the tables of some projections in a schema of their own, made from
// the log. It has a connection to itself, and is for one goroutine.
type Shadow struct {
	conn        *pgxpool.Conn
	db          postgres.DB // asks through conn
	schema      string
	projections []projections.Projection
}

// open makes the tables that are not there yet.
func open(ctx context.Context, pool *pgxpool.Pool, schema string, all []projections.Projection) (*Shadow, error) {
	conn, err := postgres.Acquire(ctx, pool)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	s := &Shadow{conn, postgres.On(conn), schema, all}
	if err := s.create(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("make the tables of %s: %w", schema, err)
	}
	return s, nil
}

// Close gives the connection back, and with it what is [Temporary]. Another
// schema stays.
func (s *Shadow) Close() {
	if s.schema == Temporary {
		_ = s.conn.Conn().Close(context.Background())
	}
	s.conn.Release()
}

// ErrPooled is the refusal of a connection that a pooler lends.
var ErrPooled = fault.New(fault.Refused, "pooled-connection", "A connection pooler is between this program and Postgres: "+
	"the temporary tables of this command would stay on its connections and hide the live ones from others. Name Postgres itself with --database-url.")

// direct refuses a connection whose backend is not the one that greeted it: a
// pooler lends it for a transaction.
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

// drop removes a schema and everything in it.
func drop(ctx context.Context, db postgres.DB, schema string) error {
	_, err := db.Exec(ctx, `DROP SCHEMA IF EXISTS `+quoted(schema)+` CASCADE`)
	return err
}

// View lets the program's own queries ask the shadow.
func (s *Shadow) View(ctx context.Context, ask func(projections.Querier) error) error {
	return s.db.InTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if err := use(ctx, tx, s.schema); err != nil {
			return err
		}
		return ask(tx)
	})
}

// use says where unqualified names are looked up for the rest of the
// transaction: in one schema only, so that a projection's statement cannot
// reach the other one's tables.
func use(ctx context.Context, tx pgx.Tx, schema string) error {
	_, err := tx.Exec(ctx, `SET LOCAL search_path = `+quoted(schema))
	return err
}

func quoted(names ...string) string { return pgx.Identifier(names).Sanitize() }
