package auditing

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/domain/audit"
	"frontdesk/domain/fault"
	"frontdesk/projections"
)

// Auditor reads the log and the access record. The rights of an auditor in the
// database are enough for all but [Auditor.Rebuild].
type Auditor struct {
	Pool *pgxpool.Pool
	Log  postgres.Log
	Now  func() time.Time
}

// RecordReading appends that somebody is about to be shown what q says, if that
// is patients' data. Nothing may be shown when it fails.
func (a Auditor) RecordReading(ctx context.Context, tenant, who string, q audit.Queried) error {
	if !q.ReadsPatients() {
		return nil
	}
	return postgres.RecordAuditQuery(ctx, postgres.On(a.Pool), tenant, who, q)
}

// AccessRecord is the record of judged calls.
func (a Auditor) AccessRecord() postgres.AccessRecord {
	return postgres.AccessRecord{DB: postgres.On(a.Pool)}
}

// Rebuild prepares a rebuild of the read models of these names; of all if there
// are none.
func (a Auditor) Rebuild(names []string) (*replay.Rebuild, error) {
	chosen, err := projectionsNamed(names)
	if err != nil {
		return nil, err
	}
	return &replay.Rebuild{Pool: a.Pool, Log: a.Log, Projections: chosen, Now: a.Now}, nil
}

func projectionsNamed(names []string) (chosen []projections.Projection, err error) {
	all := projections.All()
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
