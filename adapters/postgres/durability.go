package postgres

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/projections"
)

// Durability is what a deployment demands before a call may be answered.
type Durability string

// The durabilities. Commits wait for the disk under either.
const (
	Asynchronous Durability = "asynchronous" // nothing of standbys: a failover may lose what none has received
	Synchronous  Durability = "synchronous"  // a standby that holds each commit before it is answered
)

// Reasons for which a primary does not offer synchronous durability, with the fix.
var (
	errNoStandby = errors.New("no synchronous standby is streaming from the primary, and --durability=synchronous demands one: " +
		"start it, and name it in synchronous_standby_names")
	errStandbysHidden = errors.New("the owner of the database may not see standbys, and --durability=synchronous has to: " +
		"as a superuser, GRANT pg_read_all_stats TO the owner")
)

// CheckDurability returns nil if the primary offers the durability now. The serving
// role may call it.
func CheckDurability(ctx context.Context, db projections.Querier, demanded Durability) error {
	if demanded != Synchronous {
		return nil
	}
	var standbys *int64
	if err := db.QueryRow(ctx, `SELECT synchronous_standbys()`).Scan(&standbys); err != nil {
		return fmt.Errorf("look for synchronous standbys: %w", err)
	}
	switch {
	case standbys == nil:
		return errStandbysHidden
	case *standbys == 0:
		return errNoStandby
	}
	return nil
}
