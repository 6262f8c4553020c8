package accesslog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/proof"
)

// Checkpoints are the signed notes of the trees.
type Checkpoints struct{ DB postgres.DB }

// Checkpoint is a signed note of a tree.
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
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c Checkpoint, err error) {
		err = row.Scan(&c.Tree.Tenant, &c.Tree.Kind, &c.Epoch, &c.Size, &c.Note)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the checkpoints: %w", err)
	}
	return found, nil
}

// Of returns the newest checkpoint of a tree, and [proof.ErrNoCheckpoint] if there is none.
func (c Checkpoints) Of(ctx context.Context, tree proof.Tree) (Checkpoint, error) {
	newest := Checkpoint{Tree: tree}
	err := c.DB.QueryRow(ctx, `SELECT epoch, size, note FROM checkpoints WHERE tenant = $1 AND kind = $2 ORDER BY epoch DESC, day DESC LIMIT 1`,
		tree.Tenant, tree.Kind).Scan(&newest.Epoch, &newest.Size, &newest.Note)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return newest, proof.ErrNoCheckpoint
	case err != nil:
		return newest, fmt.Errorf("read the newest checkpoint: %w", err)
	}
	return newest, nil
}

const publishCheckpoints = `
SELECT coalesce(string_agg(DISTINCT refusal, '; '), '') FROM unnest($1::text[], $2::int[], $3::int[], $4::bigint[], $5::text[]) AS c (tenant, kind, epoch, size, note)
CROSS JOIN LATERAL (SELECT publish_checkpoint(tenant, kind, epoch, size, note) AS refusal OFFSET 0) published`

// Publish publishes checkpoints to the auditors' role. Newer ones stay. If some are refused,
// the error holds the reasons; the others are published.
func (c Checkpoints) Publish(ctx context.Context, all []Checkpoint) error {
	var columns struct {
		tenants, notes []string
		kinds, epochs  []int
		sizes          []int64
	}
	for _, p := range all {
		columns.tenants, columns.kinds = append(columns.tenants, p.Tree.Tenant), append(columns.kinds, int(p.Tree.Kind))
		columns.epochs, columns.sizes = append(columns.epochs, p.Epoch), append(columns.sizes, p.Size)
		columns.notes = append(columns.notes, p.Note)
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
