package auditing

import (
	"context"
	"fmt"
	"time"

	"frontdesk/adapters/postgres/replay"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// PracticeAsOf is what the program's own queries answered about a practice at an
// instant.
type PracticeAsOf struct {
	Tenant         string
	Applications   []projections.EnabledApplication
	Authorisations []projections.GivenAuthorisation
	RequestTypes   []practice.Availability
}

// AsOf replays the log into a schema: [replay.Temporary], or one to keep. The
// caller closes what it returns.
func (a Auditor) AsOf(ctx context.Context, until replay.Until, schema string, progress func(done, all int64)) (*replay.Past, error) {
	past, err := (&replay.Replay{
		Pool: a.Pool, Log: a.Log, Schema: schema, Until: until, Progress: progress,
		Projections: projections.All(),
	}).Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the past: %w", err)
	}
	return past, nil
}

// authorisationsShown bounds the authorisations of one practice.
const authorisationsShown = 10_000

// PracticesAsOf asks about one practice, or about all if tenant is "". The
// instant is that of the past or later: authorisations and closures end with time.
func PracticesAsOf(ctx context.Context, past *replay.Past, tenant string, at time.Time) (all []PracticeAsOf, err error) {
	err = past.View(ctx, func(db projections.Querier) error {
		tenants := []string{tenant}
		if tenant == "" {
			if tenants, err = (projections.Tenants{DB: db}).All(ctx); err != nil {
				return err
			}
		}
		for _, tenant := range tenants {
			found, err := practiceAsOf(ctx, db, tenant, at)
			if err != nil {
				return err
			}
			all = append(all, found)
		}
		return nil
	})
	return all, err
}

func practiceAsOf(ctx context.Context, db projections.Querier, tenant string, at time.Time) (found PracticeAsOf, err error) {
	found.Tenant = tenant
	if found.Applications, err = (projections.EnabledApplications{DB: db}).All(ctx, tenant); err != nil {
		return found, err
	}
	// No member of staff is left out, so these are the authorisations of all.
	found.Authorisations, err = projections.GivenAuthorisations{DB: db}.ByOthers(ctx, tenant, staff.ID{}, at, authorisationsShown)
	if err != nil {
		return found, err
	}
	found.RequestTypes, err = projections.Availability{DB: db}.RequestTypes(ctx, tenant, at)
	return found, err
}
