package app

import (
	"context"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
)

// AsOwner calls a function with the config's database, without an engine. It is for work
// on the database that its owner does while other processes serve.
func AsOwner(ctx context.Context, config Config, do func(postgres.DB) error) error {
	config.setDefaults()
	pool, err := openPool(ctx, config, 0)
	if err != nil {
		return err
	}
	defer pool.Close()
	db := postgres.On(pool)
	if err := postgres.CheckSchema(ctx, db); err != nil {
		return err
	}
	return do(db)
}

// MasterKeyIDs returns the identifiers of the master keys that the database may have keys
// under, the oldest first.
func (e *Engine) MasterKeyIDs(ctx context.Context) ([]string, error) {
	return keyring.MasterKeyIDs(ctx, e.background)
}

// NoteMasters has a restored database know the master keys of a ring; see
// [keyring.NoteMasters].
func (e *Engine) NoteMasters(ctx context.Context, ids []string) error {
	return keyring.NoteMasters(ctx, e.calls, ids)
}
