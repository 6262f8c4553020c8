package accesslog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// Checkpoints are the signed notes of the trees.
type Checkpoints struct{ DB postgres.DB }

// Checkpoint is a signed note and what it is about.
type Checkpoint struct {
	Tree  proof.Tree
	Epoch int
	Size  int64
	Note  string
}

const readCheckpoints = `
SELECT DISTINCT ON (tenant, kind) tenant, kind, epoch, size, note FROM checkpoints ORDER BY tenant, kind, epoch DESC, day DESC`

// Newest returns the newest checkpoint of each tree.
func (c Checkpoints) Newest(ctx context.Context) ([]Checkpoint, error) {
	rows, _ := c.DB.Query(ctx, readCheckpoints)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (is Checkpoint, err error) {
		err = row.Scan(&is.Tree.Tenant, &is.Tree.Kind, &is.Epoch, &is.Size, &is.Note)
		return is, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the checkpoints: %w", err)
	}
	return found, nil
}

// ErrNoCheckpoint says that nothing of a log has been signed.
var ErrNoCheckpoint = fault.New(fault.Missing, "no-checkpoint",
	"No checkpoint of this log is signed yet: let frontdesk sign run, or look whether there is such a practice.")

// Of returns the newest checkpoint of a tree, and [ErrNoCheckpoint] if there is none.
func (c Checkpoints) Of(ctx context.Context, tree proof.Tree) (Checkpoint, error) {
	is := Checkpoint{Tree: tree}
	err := c.DB.QueryRow(ctx, `SELECT epoch, size, note FROM checkpoints WHERE tenant = $1 AND kind = $2 ORDER BY epoch DESC, day DESC LIMIT 1`,
		tree.Tenant, tree.Kind).Scan(&is.Epoch, &is.Size, &is.Note)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return is, ErrNoCheckpoint
	case err != nil:
		return is, fmt.Errorf("read the newest checkpoint: %w", err)
	}
	return is, nil
}

const publishCheckpoints = `
SELECT coalesce(string_agg(DISTINCT refusal, '; '), '') FROM unnest($1::text[], $2::int[], $3::int[], $4::bigint[], $5::text[]) AS c (tenant, kind, epoch, size, note)
CROSS JOIN LATERAL (SELECT publish_checkpoint(tenant, kind, epoch, size, note) AS refusal OFFSET 0) published`

// Publish hands out checkpoints, for the auditors' role. What is newer stays. If some are
// refused, the error says why; the others are published.
func (c Checkpoints) Publish(ctx context.Context, all []Checkpoint) error {
	var columns struct {
		tenants, notes []string
		kinds, epochs  []int
		sizes          []int64
	}
	for _, is := range all {
		columns.tenants, columns.kinds = append(columns.tenants, is.Tree.Tenant), append(columns.kinds, int(is.Tree.Kind))
		columns.epochs, columns.sizes = append(columns.epochs, is.Epoch), append(columns.sizes, is.Size)
		columns.notes = append(columns.notes, is.Note)
	}
	var refusals string
	batch := &pgx.Batch{}
	batch.Queue(publishCheckpoints, columns.tenants, columns.kinds, columns.epochs, columns.sizes, columns.notes).
		QueryRow(func(row pgx.Row) error { return row.Scan(&refusals) })
	if err := c.DB.ExecBatch(ctx, batch); err != nil {
		return err
	}
	if refusals != "" {
		return errors.New(refusals)
	}
	return nil
}
