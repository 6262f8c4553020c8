package verification

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/proof"
)

// built reads the prover's positions, before the end of the log is read: so the log
// reaches each of its trees.
func (r *reading) built(ctx context.Context) error {
	rows, _ := r.DB.Query(ctx, `SELECT p.kind, p.idx, coalesce(t.tenant, ''), coalesce(t.size, 0) FROM prover p LEFT JOIN trees t USING (kind)`)
	var key proof.Tree
	var idx, size int64
	_, err := pgx.ForEachRow(rows, []any{&key.Kind, &idx, &key.Tenant, &size}, func() error {
		r.tree(key).built, r.reached[key.Kind] = size, idx
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the prover's trees: %w", err)
	}
	return nil
}

// strange finds the leaves up to the prover's position that its tables have
// differently, or not at all. It uses indexes, a few rows for each leaf, in one
// snapshot.
const strange = `
SELECT w.at
FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[], $7::bytea[])
	WITH ORDINALITY AS w (tenant, n, idx, first, hash, root, at)
LEFT JOIN LATERAL (
	(SELECT substr(hashes, (w.n - n)::int * 32 + 1, 32) AS hash, CASE n WHEN w.n THEN first_idx ELSE w.idx END AS idx, w.first AS first, NULL::bytea AS root
	FROM tree_tail WHERE tenant = w.tenant AND kind = $1 AND n <= w.n ORDER BY n DESC LIMIT 1)
	UNION ALL
	SELECT substr(hashes, (w.n % 256 * 32)::int + 1, 32), w.idx, first_idx, root FROM tree_tiles
	WHERE tenant = w.tenant AND kind = $1 AND n = w.n / 256
	LIMIT 1) b ON true
WHERE (b.hash IS DISTINCT FROM w.hash OR b.idx <> w.idx OR w.first > 0 AND b.first <> w.first
	OR w.root IS NOT NULL AND b.root IS DISTINCT FROM w.root)
	AND w.idx <= (SELECT idx FROM prover WHERE kind = $1)
ORDER BY w.at`

// byIndex keeps the planner from reading the tail of a tree for each leaf, and sorting it.
// Without statistics, as after a restore, it takes a tail for a few rows, and verification
// took 16 times as long (D138).
const byIndex = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true)`

// strange returns a kind's leaves that differ in the prover's tables.
func (r *reading) strange(ctx context.Context, kind proof.Kind, leaves []placed) (found []placed, err error) {
	var tenants []string
	var ns, idxs, firsts []int64
	var hashes, roots [][]byte
	for _, l := range leaves {
		tenants, hashes = append(tenants, l.tree.Tenant), append(hashes, l.hash[:])
		ns, idxs, firsts = append(ns, l.n), append(idxs, l.idx), append(firsts, l.first)
		var root []byte
		if l.root != nil {
			root = l.root[:]
		}
		roots = append(roots, root)
	}
	var places []int
	batch := &pgx.Batch{}
	batch.Queue(byIndex)
	batch.Queue(strange, kind, tenants, ns, idxs, firsts, hashes, roots).Query(func(rows pgx.Rows) (err error) {
		places, err = pgx.CollectRows(rows, pgx.RowTo[int])
		return err
	})
	if err := r.DB.ExecBatch(ctx, batch); err != nil {
		return nil, fmt.Errorf("compare with the prover's tables: %w", err)
	}
	for _, at := range places {
		found = append(found, leaves[at-1])
	}
	return found, nil
}
