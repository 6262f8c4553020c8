package verification

import (
	"encoding/json"
	"testing"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/proof"
)

// node is a node of a plan that was carried out.
type node struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Rows     float64 `json:"Actual Rows"` // of each loop
	Plans    []node
}

// read returns the nodes that read a table.
func (n node) read(table string) (all []node) {
	if n.Relation == table {
		all = append(all, n)
	}
	for _, below := range n.Plans {
		all = append(all, below.read(table)...)
	}
	return all
}

// A restored database has no statistics before ANALYZE. The comparison with the prover's
// tables reads one row of a tail for each leaf then, too.
func TestComparisonNeedsNoStatistics_D138(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	super := db.SuperuserPool(t)
	enginetest.MustExec(t, super, `ALTER TABLE tree_tail SET (autovacuum_enabled = off);
		INSERT INTO tree_tail SELECT 'practice-' || p, 1, n, n + 1, sha256('leaf') FROM generate_series(1, 40) p, generate_series(0, 255) n;
		UPDATE prover SET idx = 1000000`)
	var tenants []string
	var ns, firsts []int64
	var hashes, roots [][]byte
	for n := range int64(200) {
		tenants, ns, firsts = append(tenants, "practice-7"), append(ns, n), append(firsts, 0)
		hashes, roots = append(hashes, make([]byte, 32)), append(roots, nil)
	}
	tx, err := super.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), byIndex); err != nil {
		t.Fatal(err)
	}
	var text string
	err = tx.QueryRow(t.Context(), `EXPLAIN (ANALYZE, FORMAT JSON) `+strange, proof.Events, tenants, ns, ns, firsts, hashes, roots).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	var plans []struct{ Plan node }
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		t.Fatal(err)
	}
	found := plans[0].Plan.read("tree_tail")
	if len(found) != 1 || found[0].Type != "Index Scan" || found[0].Rows > 1 {
		t.Errorf("the tail is read by %+v:\n%s", found, text)
	}
}
