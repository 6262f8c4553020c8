package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/projections"
)

// The default maximum of connections in each pool.
const (
	DefaultCallConnections       = 16
	DefaultBackgroundConnections = 12
	DefaultUploadConnections     = 4
)

// fewestBackground is one connection for each consumer of the feed, one for the sequencer,
// and two for all other work. With fewer, those would wait for each other.
var fewestBackground = int32(len(projections.Following())) + 4

// Connections returns how many connections a process has at most.
func (c *Config) Connections() int {
	return int(c.CallConnections + c.BackgroundConnections + c.UploadConnections)
}

// enough refuses pool sizes with which a process would deadlock.
func (c *Config) enough() error {
	switch {
	case c.CallConnections < 1 || c.UploadConnections < 1:
		return errors.New("--call-connections and --upload-connections must be 1 at least")
	case c.BackgroundConnections < fewestBackground:
		return fmt.Errorf("--background-connections must be at least %d: the followers of the log use that many", fewestBackground)
	}
	return nil
}

// pools holds three pools of connections, so that no use can starve another.
type pools struct {
	calls      *pgxpool.Pool
	background *pgxpool.Pool
	uploads    *pgxpool.Pool // so that many files leave connections for calls
}

// named returns the pools by their names in metrics.
func (p pools) named() map[string]*pgxpool.Pool {
	return map[string]*pgxpool.Pool{"calls": p.calls, "background": p.background, "uploads": p.uploads}
}

// openPools opens the pools and checks the schema.
func openPools(ctx context.Context, config Config) (p pools, err error) {
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if err := config.enough(); err != nil {
		return p, err
	}
	if p.calls, err = openPool(ctx, config, config.CallConnections); err != nil {
		return p, err
	}
	if err := postgres.CheckSchema(ctx, postgres.On(p.calls)); err != nil {
		return p, err
	}
	if p.background, err = openPool(ctx, config, config.BackgroundConnections); err != nil {
		return p, err
	}
	p.uploads, err = postgres.NewTracedPool(ctx, config.DatabaseURL, config.UploadConnections, config.Tracer)
	return p, err
}

func (p pools) close() {
	for _, pool := range []*pgxpool.Pool{p.uploads, p.background, p.calls} {
		if pool != nil {
			pool.Close()
		}
	}
}

// openPool opens a pool, and checks at once that the database can be reached.
func openPool(ctx context.Context, config Config, connections int32) (*pgxpool.Pool, error) {
	pool, err := postgres.NewTracedPool(ctx, config.DatabaseURL, connections, config.Tracer)
	if err != nil {
		return nil, err
	}
	conn, err := postgres.Acquire(ctx, pool)
	if err != nil {
		pool.Close()
		return nil, err
	}
	conn.Release()
	return pool, nil
}
