package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
)

// DoneErasure is an erasure that was confirmed. Nothing in it identifies the person to those
// who do not know their identifier.
type DoneErasure struct {
	erasure.Person
	Erasure  erasure.ID
	ErasedAt time.Time
	Basis    erasure.Basis
	Finality erasure.Finality
}

// doneErasures has a row for each erased person. Of a patient, their requests go with them.
const doneErasures = `
SELECT e.tenant, e.kind, e.holder, e.erasure, e.erased_at, coalesce(v.data::jsonb ->> 'basis', ''),
	coalesce(f.final_from, 'epoch'), coalesce(f.final_since, 'epoch')
FROM erasures e JOIN erasure_finality f USING (tenant, kind, holder)
LEFT JOIN events v ON v.tenant = e.tenant AND v.stream = e.stream AND v.version = e.version
WHERE e.tenant = $1 AND e.kind <> $2`

// Done returns the erasures of a practice, newest first. before is the last erasure of the
// page before; the zero one begins with the newest. An erasure that the practice does not
// have gives an empty page.
func (e Erasures) Done(ctx context.Context, tenant string, before erasure.ID, most int) ([]DoneErasure, error) {
	after := ""
	if before != (erasure.ID{}) {
		after = ` AND (e.erased_at, e.erasure) < (SELECT b.erased_at, b.erasure FROM erasures b WHERE b.tenant = $1 AND b.erasure = $4 AND b.kind <> $2)`
	}
	args := []any{tenant, event.OfRequest, most}
	if after != "" {
		args = append(args, before)
	}
	rows, _ := e.DB.Query(ctx, doneErasures+after+` ORDER BY e.erased_at DESC, e.erasure DESC LIMIT $3`, args...)
	return collectDone(rows)
}

// DoneOf returns one erasure; false if the practice does not have it.
func (e Erasures) DoneOf(ctx context.Context, tenant string, id uuid.UUID) (DoneErasure, bool, error) {
	rows, _ := e.DB.Query(ctx, doneErasures+` AND e.erasure = $3`, tenant, event.OfRequest, id)
	all, err := collectDone(rows)
	if err != nil || len(all) == 0 {
		return DoneErasure{}, false, err
	}
	return all[0], true, nil
}

func collectDone(rows pgx.Rows) ([]DoneErasure, error) {
	epoch := time.Unix(0, 0)
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d DoneErasure, err error) {
		err = row.Scan(&d.Tenant, &d.Kind, &d.Holder, &d.Erasure, &d.ErasedAt, &d.Basis, &d.Finality.From, &d.Finality.Since)
		for _, at := range []*time.Time{&d.Finality.From, &d.Finality.Since} {
			if at.Equal(epoch) {
				*at = time.Time{}
			}
		}
		return d, err
	})
	if err != nil {
		return nil, fmt.Errorf("list erasures: %w", err)
	}
	return all, nil
}
