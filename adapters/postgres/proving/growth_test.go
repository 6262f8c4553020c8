package proving_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

var north = proof.Tree{Tenant: "north", Kind: proof.Events}

// publish stores a checkpoint of the practice's events at a size, as the signer has it.
func (w *wood) publish(size int64) proof.Signed {
	w.t.Helper()
	var edge proof.Edge
	for _, l := range w.leaves[north][:size] {
		edge.Append(l.hash)
	}
	c := proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: uuid.UUID{15: 7}, Epoch: 1}, Size: size, Root: edge.Root()}
	note := c.String() + "\n— api.example AAAAAGFiYw==\n"
	_, err := w.admin.Exec(w.t.Context(), `
		INSERT INTO checkpoints (tenant, kind, epoch, day, size, note, signed_at) VALUES ('north', 1, 1, current_date, $1, $2, now())
		ON CONFLICT (tenant, kind, epoch, day) DO UPDATE SET size = excluded.size, note = excluded.note`, size, note)
	w.must(err)
	return proof.Signed{Checkpoint: c, Note: note}
}

func (w *wood) proofs() proving.Proofs { return proving.Proofs{DB: postgres.On(w.pool)} }

// A proof of growth is made for every size, and verified against the signed root.
func TestGrowthLeadsToTheSignedRoot_D140(t *testing.T) {
	t.Parallel()
	w := newWood(t)
	if _, err := w.proofs().Newest(t.Context(), north); !errors.Is(err, proof.ErrNoCheckpoint) {
		t.Errorf("of a log without a checkpoint: %v", err)
	}
	w.grow(2000)
	w.prove(w.prover())
	signed := w.publish(int64(len(w.leaves[north])))
	newest, err := w.proofs().Newest(t.Context(), north)
	w.must(err)
	if newest != signed {
		t.Errorf("the newest checkpoint is %+v, want %+v", newest, signed)
	}
	var edge proof.Edge
	for first, l := range w.leaves[north] {
		c, err := w.proofs().Growth(t.Context(), north, int64(first), newest)
		w.must(err)
		w.must(c.Check(edge.Root(), signed.Checkpoint))
		if first == 20 { // then only some sizes
			break
		}
		edge.Append(l.hash)
	}
	for _, first := range []int64{256, 257, 1000, signed.Size} {
		c, err := w.proofs().Growth(t.Context(), north, first, newest)
		w.must(err)
		root, err := w.trees().Root(t.Context(), north, first)
		w.must(err)
		w.must(c.Check(root, signed.Checkpoint))
	}
}

// Trees that have not reached the checkpoint are a transient fault. Trees that differ from
// it are a fault of the service, which publishes none of their hashes.
func TestGrowthRefusesStoredTreesThatDiffer_D140(t *testing.T) {
	t.Parallel()
	w := newWood(t)
	w.grow(1000)
	w.prove(w.prover())
	signed := w.publish(int64(len(w.leaves[north])))
	ahead := signed
	ahead.Size++
	if _, err := w.proofs().Growth(t.Context(), north, 3, ahead); !errors.Is(err, proving.ErrBehind) {
		t.Errorf("behind the checkpoint: %v", err)
	}
	w.as(`UPDATE tree_tiles SET hashes = set_byte(hashes, 100, get_byte(hashes, 100) # 1), root = set_byte(root, 0, get_byte(root, 0) # 1) WHERE tenant = 'north' AND kind = 1 AND n = 0`)
	for _, first := range []int64{1, 256, 300, signed.Size} {
		_, err := w.proofs().Growth(t.Context(), north, first, signed)
		if refusal, ok := errors.AsType[*fault.Error](err); err == nil || ok {
			t.Errorf("from %d: %v is a refusal of the caller (%v)", first, err, refusal)
		}
	}
	w.as(`UPDATE checkpoints SET note = 'scribble'`)
	_, err := w.proofs().Newest(t.Context(), north)
	if refusal, ok := errors.AsType[*fault.Error](err); err == nil || ok {
		t.Errorf("of a note that is none: %v (%v)", err, refusal)
	}
}
