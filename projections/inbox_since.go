package projections

import (
	"context"
	"fmt"
	"slices"
)

// The new requests of each type and urgency behind an idx of the log: each read from one index,
// up to the given number.
const (
	legsSince = `
WITH a AS MATERIALIZED (SELECT $1::text AS tenant, $2::text[] AS types, $3::boolean[] AS urgents, $4::bigint AS idx)`
	eachSince = ` FROM a CROSS JOIN LATERAL unnest(a.types) t (type) CROSS JOIN LATERAL unnest(a.urgents) u (urgent)
	CROSS JOIN LATERAL (SELECT * FROM inbox WHERE tenant = a.tenant AND type = t.type AND urgent = u.urgent` + isNew + ` AND until IS NULL AND idx > a.idx ORDER BY idx`

	listSince = legsSince + rowsOf + `
	SELECT i.*` + eachSince + ` LIMIT %[1]d) i
	ORDER BY i.idx LIMIT %[1]d` + holdersOf + `
ORDER BY r.idx`
	countSince  = legsSince + ` SELECT count(*), count(*) FILTER (WHERE i.urgent)` + eachSince + ` LIMIT 10000) i` // it reads only the index
	newestOfNew = legsSince + ` SELECT coalesce(max(i.idx), 0)` + eachSince + ` DESC LIMIT 1) i`
)

// urgents are the urgencies that the filter selects.
func (f InboxFilter) urgents() []bool {
	if f.Urgent {
		return []bool{true}
	}
	return []bool{true, false}
}

// Newest returns the idx of the newest new request; 0 without one. Read it before a list, to
// learn later which requests the list lacks.
func (i Inbox) Newest(ctx context.Context, tenant string) (idx int64, err error) {
	all := InboxFilter{}
	if err := i.DB.QueryRow(ctx, newestOfNew, tenant, all.types(), all.urgents(), 0).Scan(&idx); err != nil {
		return 0, fmt.Errorf("find the newest request: %w", err)
	}
	return idx, nil
}

// Since returns at most the given number of new requests whose submission is behind an idx of
// the log, in the order of the log, but with the urgent ones first. Next is the idx behind which
// the next page begins; 0 at the end. It uses the type and the urgency of the filter.
func (i Inbox) Since(ctx context.Context, tenant string, f InboxFilter, idx int64, most int) (rows []InboxRow, next int64, err error) {
	rows, err = i.list(ctx, most, listSince, tenant, f.types(), f.urgents(), idx)
	if len(rows) > most {
		rows = rows[:most]
		next = rows[most-1].Idx
	}
	slices.SortStableFunc(rows, func(a, b InboxRow) int {
		switch {
		case a.Urgent == b.Urgent:
			return 0
		case a.Urgent:
			return -1
		}
		return 1
	})
	return rows, next, err
}

// CountSince returns the number of requests that [Inbox.Since] lists, and of the urgent ones
// among them. It stops at 10,000 of each type and urgency.
func (i Inbox) CountSince(ctx context.Context, tenant string, f InboxFilter, idx int64) (n, urgent int, err error) {
	if err := i.DB.QueryRow(ctx, countSince, tenant, f.types(), f.urgents(), idx).Scan(&n, &urgent); err != nil {
		return 0, 0, fmt.Errorf("count new requests: %w", err)
	}
	return n, urgent, nil
}
