package verification

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/proof"
)

// built is what the prover has made.
type built struct{ db postgres.DB }

// trees returns what the prover says that its trees are, and how far it has come with each
// kind.
func (b built) trees(ctx context.Context) (all map[proof.Tree]claim, reached map[proof.Kind]int64, err error) {
	rows, _ := b.db.Query(ctx, `SELECT p.kind, p.idx, coalesce(t.tenant, ''), coalesce(t.size, 0), coalesce(t.edge, '') FROM prover p LEFT JOIN trees t USING (kind)`)
	all, reached = map[proof.Tree]claim{}, map[proof.Kind]int64{}
	var of proof.Tree
	var idx, size int64
	var edge []byte
	_, err = pgx.ForEachRow(rows, []any{&of.Kind, &idx, &of.Tenant, &size, &edge}, func() error {
		c := claim{check: Built, size: size, of: "what the prover's tables hold"}
		if known, err := proof.ParseEdge(size, edge); err == nil { // otherwise its root is that of no tree
			c.root = known.Root()
		}
		all[of], reached[of.Kind] = c, idx
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read the prover's trees: %w", err)
	}
	return all, reached, nil
}

// strange finds the nodes that the prover has come to and that its tables hold otherwise,
// or not at all. It walks indexes, a few rows for each node, in one snapshot.
const strange = `
SELECT w.ordinal
FROM unnest($2::text[], $3::int[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[])
	WITH ORDINALITY AS w (tenant, level, n, idx, first, hash, ordinal)
LEFT JOIN LATERAL (
	SELECT l.hash, l.idx, 0 AS first FROM tree_tail l
	WHERE w.level = 0 AND l.tenant = w.tenant AND l.kind = $1 AND l.n = w.n
	UNION ALL SELECT substring(t.hashes FROM (w.n % 256 * 32 + 1)::int FOR 32), w.idx, t.first_idx FROM tree_tiles t
	WHERE w.level = 0 AND t.tenant = w.tenant AND t.kind = $1 AND t.level = 0 AND t.n = w.n / 256
	UNION ALL SELECT t.root, w.idx, 0 FROM tree_tiles t
	WHERE w.level > 0 AND t.tenant = w.tenant AND t.kind = $1 AND t.level = w.level - 1 AND t.n = w.n
	LIMIT 1) b ON true
WHERE (b.hash IS DISTINCT FROM w.hash OR b.idx <> w.idx OR w.first <> b.first AND w.first <> 0 AND b.first <> 0)
	AND w.idx <= (SELECT idx FROM prover WHERE kind = $1)
ORDER BY w.ordinal`

// strange returns those of a kind's nodes that the tables do not hold as they are.
func (b built) strange(ctx context.Context, kind proof.Kind, nodes []node) (found []node, err error) {
	tenants, levels, hashes := make([]string, len(nodes)), make([]int, len(nodes)), make([][]byte, len(nodes))
	ns, idxs, firsts := make([]int64, len(nodes)), make([]int64, len(nodes)), make([]int64, len(nodes))
	for i, n := range nodes {
		tenants[i], levels[i], hashes[i] = n.tree.Tenant, n.level, n.hash[:]
		ns[i], idxs[i], firsts[i] = n.n, n.idx, n.first
	}
	rows, _ := b.db.Query(ctx, strange, kind, tenants, levels, ns, idxs, firsts, hashes)
	at, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, fmt.Errorf("compare with the prover's tables: %w", err)
	}
	for _, ordinal := range at {
		found = append(found, nodes[ordinal-1])
	}
	return found, nil
}
