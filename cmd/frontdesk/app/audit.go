package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/domain/audit"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// RecordReading appends that somebody has read of patients (D37). It needs no
// more rights than an auditor has.
func (e *Engine) RecordReading(ctx context.Context, tenant, who string, q audit.Queried) error {
	return postgres.RecordAuditQuery(ctx, e.background, tenant, who, q)
}

// StaffEver is the member of staff of a username, active or not;
// staff.ErrUnknown if there never was one.
func (e *Engine) StaffEver(ctx context.Context, tenant, username string) (id uuid.UUID, err error) {
	err = e.background.QueryRow(ctx, `SELECT staff FROM staff WHERE tenant = $1 AND username = $2`, tenant, username).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return id, staff.ErrUnknown
	}
	if err != nil {
		return id, fmt.Errorf("find staff: %w", postgres.Fault(err))
	}
	return id, nil
}

// AccessRecord is the record of judged calls (D37).
func (e *Engine) AccessRecord() postgres.AccessRecord {
	return postgres.AccessRecord{Pool: e.background}
}

// Rebuild is a rebuild of some read models by their names, or of all of them.
func (e *Engine) Rebuild(names []string) (*replay.Rebuild, error) {
	chosen, err := projectionsNamed(names)
	if err != nil {
		return nil, err
	}
	return &replay.Rebuild{
		Pool: e.background, Log: postgres.Log{Codec: e.codec}, Projections: chosen, Now: e.config.Now,
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
