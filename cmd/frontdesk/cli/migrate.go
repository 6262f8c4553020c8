package cli

import (
	"context"
	"fmt"
	"time"

	"frontdesk/adapters/postgres"
)

type migrateCmd struct {
	databaseFlag `embed:""`
	CreateRoles  bool `help:"First create the roles frontdesk_app and frontdesk_audit, which every database of the cluster shares."`
}

// migrationLimit bounds a whole migration: an index on a long log takes time.
const migrationLimit = time.Hour

// Run brings the schema up to date.
func (c *migrateCmd) Run(r *run) error {
	ctx, cancel := context.WithTimeout(r.ctx, migrationLimit)
	defer cancel()
	if c.CreateRoles {
		if err := postgres.CreateRoles(ctx, c.DatabaseURL); err != nil {
			return err
		}
	}
	migrated, err := postgres.Migrate(ctx, c.DatabaseURL)
	if err != nil {
		return err
	}
	fmt.Fprintln(r.Out, migrated)
	return nil
}
