package accesslog

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/proof"
)

// Row is a line of the access record as it is stored. Of a line that was moved to an
// archive while older lines were kept, only Leaf.Idx, Tree and Archived are known.
type Row struct {
	Leaf     proof.AccessLeaf
	Tree     string // the practice whose tree it is in; "" if there was none of its name when it came
	Reason   string
	Act      *string // nil if the token had no act claim; of a look, the patients that it has shown
	Sealed   []byte  // nil if nothing is sealed
	Archived *tlog.Hash
}

// Shows reports whether it is a look that has shown a patient.
func (r Row) Shows(id patient.ID) bool {
	if r.Leaf.Mode != string(access.ByPage) || r.Act == nil {
		return false
	}
	patients, err := access.ParseShownPatients(*r.Act)
	return err == nil && slices.Contains(patients, id)
}

// Hash returns the hash of its leaf.
func (r Row) Hash() tlog.Hash {
	if r.Archived != nil {
		return *r.Archived
	}
	return r.Leaf.Hash()
}

const readAccessLog = `
SELECT l.idx, l.tree, l.leaf, coalesce(r.request_id, '00000000-0000-0000-0000-000000000000'), coalesce(at, 'epoch'), coalesce(tenant, ''),
	coalesce(application, '00000000-0000-0000-0000-000000000000'), coalesce(mode, ''), coalesce(staff, '00000000-0000-0000-0000-000000000000'),
	coalesce(endpoint, ''), coalesce(patient, '00000000-0000-0000-0000-000000000000'), coalesce(status, 0), coalesce(code, ''), coalesce(reason, ''),
	act, coalesce(token_hash, ''), sealed, coalesce(repeats, 0)
FROM (%s) l
LEFT JOIN LATERAL (SELECT * FROM access_record WHERE request_id = l.request_id OFFSET 0) r ON true
ORDER BY l.idx`

// Pages of lines: of all, and of one tree.
const (
	nextLines   = `SELECT * FROM access_log WHERE idx > $1 ORDER BY idx LIMIT $2`
	nextOfATree = `SELECT * FROM access_log WHERE idx > $1 AND tree = $3 ORDER BY idx LIMIT $2`
)

// ErrArchived means that lines of the access record are no longer in the database: begin
// after [Record.Kept].
var ErrArchived = fault.New(fault.Conflict, "lines-archived", "These lines of the access record are in archives.")

// Rows returns the page of lines after a number as they are stored, in the order of their
// numbers, which have no gap. It is empty at the end. With an error it returns the lines
// before the first lost one; the error is an [eventstore.Hole], or [ErrArchived] if retain
// archived it.
func (a Record) Rows(ctx context.Context, idx int64) ([]Row, error) {
	found, err := a.rows(ctx, nextLines, idx)
	for n, r := range found {
		if expected := idx + int64(n) + 1; r.Leaf.Idx != expected || r.lost() {
			return found[:n], a.missing(ctx, expected)
		}
	}
	return found, err
}

// RowsOf is [Record.Rows] for the lines of one tree. Numbers of other trees are
// missing in between.
func (a Record) RowsOf(ctx context.Context, tree string, idx int64) ([]Row, error) {
	found, err := a.rows(ctx, nextOfATree, idx, tree)
	for n, r := range found {
		if r.lost() {
			return found[:n], a.missing(ctx, r.Leaf.Idx)
		}
	}
	return found, err
}

// EachOf yields the lines of a tree after a number, page by page, up to the end or to the
// first error.
func (a Record) EachOf(ctx context.Context, tree string, idx int64) iter.Seq2[Row, error] {
	return eachRow(idx, func(idx int64) ([]Row, error) { return a.RowsOf(ctx, tree, idx) })
}

// Each yields the lines after a number, as [Record.EachOf] does.
func (a Record) Each(ctx context.Context, idx int64) iter.Seq2[Row, error] {
	return eachRow(idx, func(idx int64) ([]Row, error) { return a.Rows(ctx, idx) })
}

func eachRow(idx int64, next func(idx int64) ([]Row, error)) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for {
			page, err := next(idx)
			for _, row := range page {
				if !yield(row, nil) {
					return
				}
			}
			if err != nil {
				yield(Row{}, err)
				return
			}
			if len(page) == 0 {
				return
			}
			idx = page[len(page)-1].Leaf.Idx
		}
	}
}

func (a Record) rows(ctx context.Context, page string, args ...any) ([]Row, error) {
	args = slices.Insert(args, 1, any(a.size()))
	rows, _ := a.DB.Query(ctx, fmt.Sprintf(readAccessLog, page), args...)
	found, err := pgx.CollectRows(rows, scanRow)
	if err != nil {
		return nil, fmt.Errorf("read the access record after number %d: %w", args[0], err)
	}
	return found, nil
}

// lost reports whether the line is neither here nor in an archive.
func (r Row) lost() bool { return r.Leaf.RequestID == uuid.Nil && r.Archived == nil }

func (a Record) missing(ctx context.Context, idx int64) error {
	archived, err := a.archived(ctx)
	switch {
	case err != nil:
		return err
	case idx <= archived:
		return ErrArchived
	}
	return eventstore.Hole(fmt.Sprintf("line %d is missing from the access record", idx))
}

func (a Record) archived(ctx context.Context) (idx int64, err error) {
	if err := a.DB.QueryRow(ctx, `SELECT archived FROM access_head`).Scan(&idx); err != nil {
		return 0, fmt.Errorf("ask what of the access record was archived: %w", err)
	}
	return idx, nil
}

func scanRow(row pgx.CollectableRow) (r Row, err error) {
	l := &r.Leaf
	var hash, token []byte
	err = row.Scan(&l.Idx, &r.Tree, &hash, &l.RequestID, &l.At, &l.Tenant, &l.Application, &l.Mode, &l.Staff, &l.Endpoint, &l.Patient,
		&l.Status, &l.Code, &r.Reason, &r.Act, &token, &r.Sealed, &l.Repeats)
	if err != nil {
		return r, err
	}
	if hash != nil && l.RequestID == uuid.Nil {
		r.Archived = new(tlog.Hash(hash))
	}
	l.At, l.TokenHash, l.Reason = l.At.UTC(), tokenHash(token), sha256.Sum256([]byte(r.Reason))
	if r.Act != nil {
		l.Act = new(event.Digest(sha256.Sum256([]byte(*r.Act))))
	}
	if r.Sealed != nil {
		l.Sealed = new(event.Digest(sha256.Sum256(r.Sealed)))
	}
	return r, nil
}

// tokenHash returns the hash of a token as it is stored. Of a value that is no hash it
// returns the value's own hash, so that no other value passes for it.
func tokenHash(stored []byte) event.Digest {
	if len(stored) == sha256.Size {
		return event.Digest(stored)
	}
	return sha256.Sum256(stored)
}
