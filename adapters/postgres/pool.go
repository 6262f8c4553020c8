package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const connectLimit = 10 * time.Second

// NewPool is a pool of at most so many connections to url, 0 for what url says
// or pgx's own number. It connects when somebody needs a connection.
func NewPool(ctx context.Context, url string, connections int32) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	if connections > 0 {
		config.MaxConns = connections
	}
	config.ConnConfig.ConnectTimeout = connectLimit
	config.ConnConfig.RuntimeParams["application_name"] = "frontdesk"
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerIdentifiers(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return pool, nil
}
