package app

import (
	"context"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
)

// Rotate rotates the master key of the config's database, as its owner. All but the
// database of the rotation is given.
func Rotate(ctx context.Context, config Config, rotation keyring.MasterRotation) (to string, rewrapped int, err error) {
	err = asOwner(ctx, config, func(db postgres.DB) error {
		rotation.DB = db
		to, rewrapped, err = rotation.Run(ctx)
		return err
	})
	return to, rewrapped, err
}

// NextMaster returns the master key that a rotation leads to, and whether it has begun; see
// [keyring.MasterRotation.Next].
func NextMaster(ctx context.Context, config Config) (id string, begun bool, err error) {
	err = asOwner(ctx, config, func(db postgres.DB) error {
		id, begun, err = keyring.MasterRotation{DB: db, Masters: config.MasterKeys}.Next(ctx)
		return err
	})
	return id, begun, err
}

// MasterKeys returns the master keys that the config's database knows, oldest first, and the
// processes that hold them.
func MasterKeys(ctx context.Context, config Config) (keys []keyring.MasterKey, holders []keyring.KeyHolder, err error) {
	err = asOwner(ctx, config, func(db postgres.DB) error {
		if keys, err = keyring.MasterKeys(ctx, db); err != nil {
			return err
		}
		holders, err = keyring.KeyHolders(ctx, db)
		return err
	})
	return keys, holders, err
}

// MasterDestroyed records that no copy of a master key is left.
func MasterDestroyed(ctx context.Context, config Config, id, by string) error {
	return asOwner(ctx, config, func(db postgres.DB) error { return keyring.MarkDestroyed(ctx, db, id, by) })
}

// asOwner gives a function the database without an engine.
func asOwner(ctx context.Context, config Config, do func(postgres.DB) error) error {
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

// NoteMasters has a restored database know the master keys of a ring; see
// [keyring.NoteMasters].
func (e *Engine) NoteMasters(ctx context.Context, ids []string) error {
	return keyring.NoteMasters(ctx, e.calls, ids)
}
