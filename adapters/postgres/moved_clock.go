package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// MoveClock moves the clock by which erasures wait in one database, as a superuser: a
// sandbox's clock moves, and a day passes in tests. Erasures in other databases wait by the
// clock of the machine, because only a superuser can own the table (D135).
func MoveClock(ctx context.Context, superuserURL string, ahead time.Duration) error {
	conn, err := pgx.Connect(ctx, superuserURL)
	if err != nil {
		return fmt.Errorf("move the clock of erasures: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	_, err = conn.Exec(ctx, fmt.Sprintf(`
		CREATE SCHEMA IF NOT EXISTS sandbox;
		CREATE TABLE IF NOT EXISTS sandbox.moved_clock (ahead interval NOT NULL);
		GRANT USAGE ON SCHEMA sandbox TO PUBLIC;
		GRANT SELECT ON sandbox.moved_clock TO PUBLIC;
		DELETE FROM sandbox.moved_clock;
		INSERT INTO sandbox.moved_clock VALUES (interval '%d microseconds')`, ahead.Microseconds()))
	if err != nil {
		return fmt.Errorf("move the clock of erasures: %w", err)
	}
	return nil
}
