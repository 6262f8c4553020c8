package app

import (
	"context"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
)

// ChangeMaster wraps every key in the database of the config under its MasterKey in place
// of its OldMasterKey, as the owner of the database. It returns how many keys it has
// wrapped. If asked, it retires the old one.
func ChangeMaster(ctx context.Context, config Config, retire bool) (keys int, err error) {
	config.setDefaults()
	pool, err := openPool(ctx, config, 0)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	db := postgres.On(pool)
	if err := postgres.CheckSchema(ctx, db); err != nil {
		return 0, err
	}
	change := keyring.MasterChange{DB: db, From: config.OldMasterKey, To: config.MasterKey}
	keys, err = change.Run(ctx)
	if err != nil || !retire {
		return keys, err
	}
	return keys, change.Retire(ctx)
}
