package accesslog

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/audit"
	"frontdesk/domain/proof"
)

// Kept is the beginning of the lines in the database: up to Idx, all are in archives. Trees
// are those of the access record there, by practice. They need no trust: a wrong one leads
// to no signed root.
type Kept struct {
	Idx   int64
	Trees map[string]proof.Edge
}

// Kept returns the beginning of the lines in the database.
func (a Record) Kept(ctx context.Context) (kept Kept, err error) {
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
SELECT coalesce((SELECT number_calls($1) FROM access_head WHERE EXISTS (SELECT FROM access_waiting)), 0)`

// Number gives numbers to lines that have none, at most so many, and returns how many it
// numbered: 0 if none is left, or if another process is numbering. Most lines get theirs
// when they are written; those written while another process was numbering have none.
func (a Record) Number(ctx context.Context, most int) (lines int64, err error) {
	if err := a.DB.QueryRow(ctx, numberCalls, most).Scan(&lines); err != nil {
		return 0, fmt.Errorf("number the access record: %w", err)
	}
	return lines, nil
}

// Ends returns the number of the newest line, and the last number up to which all lines are
// in archives.
func (a Record) Ends(ctx context.Context) (head, archived int64, err error) {
	if err := a.DB.QueryRow(ctx, `SELECT idx, archived FROM access_head`).Scan(&head, &archived); err != nil {
		return 0, 0, fmt.Errorf("ask where the access record ends: %w", err)
	}
	return head, archived, nil
}

// The number of archived lines by the tables, unfinished archives, and the number by the log.
const (
	countArchived = `
SELECT archived + (SELECT count(*) FROM access_log l WHERE idx > archived AND leaf IS NOT NULL AND NOT EXISTS (SELECT FROM access_record r WHERE r.request_id = l.request_id))
FROM access_head`
	archivesOfCalls = `SELECT name, archived_at IS NULL FROM archives WHERE record = 'access_record'`
	loggedArchives  = `SELECT coalesce(sum((data::json ->> 'lines')::bigint), 0)::bigint FROM events WHERE tenant = '' AND stream = ANY ($1)`
)

// Vanished returns the number of lines that are neither here nor in an archive that the log
// records: they were deleted, and the tables claim that retain did it. While an archive is
// being made it returns 0.
func (a Record) Vanished(ctx context.Context) (lines int64, err error) {
	var streams []uuid.UUID
	var name string
	var now, making bool
	rows, _ := a.DB.Query(ctx, archivesOfCalls)
	_, err = pgx.ForEachRow(rows, []any{&name, &now}, func() error {
		streams, making = append(streams, audit.StreamOfArchive(name).ID), making || now
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("read what was archived: %w", err)
	}
	if making {
		return 0, nil
	}
	var archived, logged int64
	if err := a.DB.QueryRow(ctx, countArchived).Scan(&archived); err != nil {
		return 0, fmt.Errorf("count the lines that are archived: %w", err)
	}
	if err := a.DB.QueryRow(ctx, loggedArchives, streams).Scan(&logged); err != nil {
		return 0, fmt.Errorf("read the log of archives: %w", err)
	}
	return max(0, archived-logged), nil
}
