package proving_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres/proving"
	"frontdesk/domain/proof"
)

// The trees are those of RFC 6962, whatever the batch size, and proofs use both tiles
// and tails.
func TestTheTreesAreThoseOfTheLog_D76(t *testing.T) {
	t.Parallel()
	w := newWood(t)
	prover := w.prover()
	for _, step := range []struct{ grow, batch int }{{1, 10}, {4, 1}, {500, 100}, {2000, 1500}, {330, 7}, {1, 1}} {
		w.grow(step.grow)
		prover.Batch = step.batch
		w.prove(prover)
		w.check()
	}
	if _, err := w.trees().Number(t.Context(), proof.Tree{Tenant: "north", Kind: proof.Events}, 300, tlog.Hash{1}); !errors.Is(err, proving.ErrNoLeaf) {
		t.Errorf("error = %v", err)
	}
	w.checkAges()
}

// Any number of provers may run, and end at any moment: one of them works at a time,
// and its uncommitted work is repeated.
func TestProversTakeTurns_D76(t *testing.T) {
	t.Parallel()
	w := newWood(t)
	w.grow(3000)
	var group sync.WaitGroup
	for n := range 3 {
		group.Go(func() {
			for range 12 {
				limited, cancel := context.WithTimeout(t.Context(), time.Duration(1+n*5)*time.Millisecond)
				p := w.prover()
				p.Batch = 100 + n
				_, _ = p.Prove(limited) // most of them are cancelled on the way
				cancel()
			}
		})
	}
	group.Wait()
	held, err := w.admin.Begin(t.Context())
	w.must(err)
	defer func() { _ = held.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = held.Exec(t.Context(), `SELECT FROM prover WHERE kind = 1 FOR UPDATE`)
	w.must(err)
	before := w.reached()
	w.prove(w.prover()) // returns at once
	if now := w.reached(); now != before {
		t.Errorf("idx %d was reached next to a working prover at %d", now, before)
	}
	w.must(held.Rollback(t.Context()))
	w.prove(w.prover())
	w.check()
}

// A log with missing events adds nothing to a tree.
func TestNothingIsProvedThatIsNotFinal_D76(t *testing.T) {
	t.Parallel()
	w := newWood(t)
	w.grow(20)
	w.as(`DELETE FROM log WHERE idx = 11`)
	if _, err := w.prover().Prove(t.Context()); err == nil || w.reached() != 0 {
		t.Errorf("error = %v, and idx %d is proved beyond a hole", err, w.reached())
	}
	w.as(`INSERT INTO log (idx, position) SELECT 11, position FROM events WHERE position NOT IN (SELECT position FROM log)`)
	w.prove(w.prover())
	w.check()
	w.as(`UPDATE sequencer SET head = 15`)
	if _, err := w.prover().Prove(t.Context()); err == nil {
		t.Error("a log that ends before its trees is not reported")
	}
}
