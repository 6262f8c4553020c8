package auditing

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/adapters/postgres/retention"
	"frontdesk/adapters/postgres/verification"
	"frontdesk/domain/audit"
	"frontdesk/domain/fault"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/applications"
)

// Auditor reads the log and the access record. An auditor's rights in the database are
// enough for everything except [Auditor.Rebuild].
type Auditor struct {
	Pool *pgxpool.Pool
	Log  eventstore.Log
	Keys *keyring.Keyring // opens personal values
	Now  func() time.Time
}

// RecordReading appends the event that an auditor reads the data that q describes, if they
// are patients' data. The database identifies the auditor; machine is the machine's account
// of them. If it fails, show nothing.
func (a Auditor) RecordReading(ctx context.Context, tenant, machine string, q audit.Queried) error {
	if !q.ReadsPatients() {
		return nil
	}
	return accesslog.RecordAuditQuery(ctx, postgres.On(a.Pool), tenant, machine, q)
}

// AccessRecord returns the record of judged calls. The practitioners are hidden.
func (a Auditor) AccessRecord() accesslog.Record {
	return accesslog.Record{DB: postgres.On(a.Pool)}
}

// OpenedAccessRecord returns the record of judged calls with the practitioners in clear.
func (a Auditor) OpenedAccessRecord() accesslog.Record {
	return accesslog.Record{DB: postgres.On(a.Pool), Keys: a.Keys}
}

func (a Auditor) recordOf(personal bool) accesslog.Record {
	if personal {
		return a.OpenedAccessRecord()
	}
	return a.AccessRecord()
}

// Archives describes the lines that the database no longer holds.
func (a Auditor) Archives() retention.Archives {
	return retention.Archives{DB: postgres.On(a.Pool)}
}

// Rebuild prepares a rebuild of the named read models, or of all without a name.
func (a Auditor) Rebuild(names []string) (*replay.Rebuild, error) {
	chosen, err := projectionsNamed(projections.All(), names)
	if err != nil {
		return nil, err
	}
	return &replay.Rebuild{Pool: a.Pool, Log: a.Log, Keys: a.Keys, Projections: chosen, Now: a.Now}, nil
}

// Verification prepares the comparison of stored data with the trees, checkpoints and keys.
func (a Auditor) Verification() *verification.Verification {
	return &verification.Verification{DB: postgres.On(a.Pool), Log: a.Log, Keys: a.Keys}
}

func projectionsNamed(all []projections.Projection, names []string) (chosen []projections.Projection, err error) {
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, p := range all {
		known = append(known, p.Name())
		if slices.Contains(names, p.Name()) {
			chosen = append(chosen, p)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fault.New(fault.Missing, "unknown-projection",
				fmt.Sprintf("There is no read model %q; there are %s.", name, strings.Join(known, ", ")))
		}
	}
	return chosen, nil
}

// PracticeAsOf holds the answers of the program's own queries about a practice at an instant.
type PracticeAsOf struct {
	Tenant         string
	Applications   []applications.Enablement
	Authorisations []applications.Authorisation
	RequestTypes   []practice.Availability
}

// AsOf replays the log into a schema: [replay.Temporary], or one to keep. The caller closes
// the result. An idx that the log has not reached is [ErrBeyondHead].
func (a Auditor) AsOf(ctx context.Context, until replay.Until, schema string, progress func(done, all int64)) (*replay.Past, error) {
	if _, err := a.reaching(ctx, until.Idx); err != nil {
		return nil, err
	}
	past, err := (&replay.Replay{
		Pool: a.Pool, Log: a.Log, Keys: a.Keys, Schema: schema, Until: until, Progress: progress,
		Projections: slices.DeleteFunc(projections.All(), isAnswers),
	}).Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the past: %w", err)
	}
	return past, nil
}

// isAnswers excludes the answers to idempotency keys: they show nothing of the past, and
// would require every keyed call to be opened.
func isAnswers(p projections.Projection) bool {
	return p.Name() == projections.IdempotentResponses{}.Name()
}

// authorisationsShown is the most authorisations shown of one practice.
const authorisationsShown = 10_000

// PracticesAsOf reads one practice, or all if tenant is "". The instant is at or after the
// end of the past: authorisations and closures end with time.
func PracticesAsOf(ctx context.Context, past *replay.Past, tenant string, at time.Time) (all []PracticeAsOf, err error) {
	err = past.View(ctx, func(db projections.Querier) error {
		tenants := []string{tenant}
		if tenant == "" {
			if tenants, err = (projections.Practices{DB: db}).Tenants(ctx); err != nil {
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
	if found.Applications, err = (applications.Enablements{DB: db}).All(ctx, tenant); err != nil {
		return found, err
	}
	// No member of staff is left out, so these are the authorisations of all.
	found.Authorisations, err = applications.Authorisations{DB: db}.GivenByOthers(ctx, tenant, staff.ID{}, at, authorisationsShown)
	if err != nil {
		return found, err
	}
	found.RequestTypes, err = projections.Availability{DB: db}.RequestTypes(ctx, tenant, at)
	return found, err
}
