package embedded

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// EnsureDatabase makes the database where it is missing, owned by [Superuser].
// It may be called any number of times and at once.
func (s *Server) EnsureDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.URL("postgres", Superuser))
	if err != nil {
		return fmt.Errorf("connect to create database: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	if err != nil && !exists(err) {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	return nil
}

// exists reports that somebody made the database before us, or just now.
func exists(err error) bool {
	const duplicateDatabase, uniqueViolation = "42P04", "23505"
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (refused.Code == duplicateDatabase || refused.Code == uniqueViolation)
}
