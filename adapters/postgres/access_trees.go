package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/proof"
)

// KeptAccess says where the lines begin that the database holds: up to Idx, all are in
// archives. Trees are those of the access record there, by practice. Nobody has to trust
// them: whoever goes on from a wrong one comes to no root that was signed.
type KeptAccess struct {
	Idx   int64
	Trees map[string]proof.Edge
}

// Kept returns where the lines begin that the database holds.
func (a AccessRecord) Kept(ctx context.Context) (kept KeptAccess, err error) {
	kept.Trees = map[string]proof.Edge{}
	rows, _ := a.DB.Query(ctx, `SELECT archived, coalesce(tenant, ''), coalesce(size, 0), coalesce(edge, '') FROM access_head LEFT JOIN archived_trees ON true`)
	var tenant string
	var size int64
	var edge []byte
	_, err = pgx.ForEachRow(rows, []any{&kept.Idx, &tenant, &size, &edge}, func() (err error) {
		kept.Trees[tenant], err = proof.ParseEdge(size, edge)
		return err
	})
	if err != nil {
		return kept, fmt.Errorf("read where the access record begins: %w", err)
	}
	return kept, nil
}

// numberCalls locks nothing while all lines have numbers.
const numberCalls = `
SELECT coalesce((SELECT number_calls($1) FROM access_head WHERE before IS NOT NULL OR EXISTS (SELECT FROM access_waiting)), 0)`

// Number gives numbers to lines that have none, at most so many, and returns how many it
// numbered: 0 if none is left, or if somebody else is numbering. Most have theirs from
// whoever wrote them. Lines of before there were numbers have none, nor have those that
// were written while somebody else was numbering.
func (a AccessRecord) Number(ctx context.Context, most int) (lines int64, err error) {
	if err := a.DB.QueryRow(ctx, numberCalls, most).Scan(&lines); err != nil {
		return 0, fmt.Errorf("number the access record: %w", err)
	}
	return lines, nil
}

// Ends returns the number of the newest line, and up to which one all are in archives.
func (a AccessRecord) Ends(ctx context.Context) (head, archived int64, err error) {
	if err := a.DB.QueryRow(ctx, `SELECT idx, archived FROM access_head`).Scan(&head, &archived); err != nil {
		return 0, 0, fmt.Errorf("ask where the access record ends: %w", err)
	}
	return head, archived, nil
}
