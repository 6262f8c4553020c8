package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// SignIns keeps the sign-ins of each member of staff.
type SignIns struct{ DB Querier }

// Name returns the permanent name.
func (SignIns) Name() string { return "sign-ins.v1" }

// Follows returns the events that change the model.
func (SignIns) Follows() []event.Event { return []event.Event{staff.SignedIn{}, staff.Erased{}} }

// Project keeps a row for each sign-in.
func (SignIns) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case staff.SignedIn:
		do(`INSERT INTO sign_ins (tenant, staff, at, session, how) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			r.Stream.Tenant, e.Staff, e.At, e.Session, string(e.How))
	case staff.Erased:
		do(`DELETE FROM sign_ins WHERE tenant = $1 AND staff = $2`, r.Stream.Tenant, r.Stream.ID)
	}
}

// lastSignIns reads one row of each member from the index.
const lastSignIns = `
SELECT s.staff, l.at FROM staff s
CROSS JOIN LATERAL (SELECT at FROM sign_ins WHERE tenant = s.tenant AND staff = s.staff ORDER BY at DESC LIMIT 1) l
WHERE s.tenant = $1`

// Last returns the last sign-in of each member of staff of a practice. It leaves out
// staff who have never signed in.
func (s SignIns) Last(ctx context.Context, tenant string) (map[staff.ID]time.Time, error) {
	rows, _ := s.DB.Query(ctx, lastSignIns, tenant)
	last, member, at := map[staff.ID]time.Time{}, staff.ID{}, time.Time{}
	_, err := pgx.ForEachRow(rows, []any{&member, &at}, func() error {
		last[member] = at.UTC()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list last sign-ins: %w", err)
	}
	return last, nil
}
