package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/domain/audit"
	"frontdesk/domain/fault"
	"frontdesk/projections"
)

// RecordReading appends that somebody has read of patients (D37). It needs no
// more rights than an auditor has.
func (e *Engine) RecordReading(ctx context.Context, tenant, who string, q audit.Queried) error {
	return postgres.RecordAuditQuery(ctx, e.background, tenant, who, q)
}

// AccessRecord is the record of judged calls (D37).
func (e *Engine) AccessRecord() postgres.AccessRecord {
	return postgres.AccessRecord{DB: e.background}
}

// Rebuild is a rebuild of some read models by their names, or of all of them.
func (e *Engine) Rebuild(names []string) (*replay.Rebuild, error) {
	chosen, err := projectionsNamed(names)
	if err != nil {
		return nil, err
	}
	return &replay.Rebuild{
		Pool: e.pools.background, Log: postgres.Log{Codec: e.codec}, Projections: chosen, Now: e.config.Now,
	}, nil
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
