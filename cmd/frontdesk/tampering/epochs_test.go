package tampering_test

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/verification"
	"frontdesk/domain/event"
	"frontdesk/domain/proof"
)

// A thief of the key, with every right over the database, signs a second history under the
// identifier of another log. Auditors with the salt refuse it, and so does the signer.
func TestSecondHistoryIsRefused_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t, size{witnessed: 30, kept: 35, signed: 40, all: 45})
	if found := w.verify(w.kept); len(found.Found) > 0 || found.Kept != 1 {
		t.Fatalf("before the attack: %+v", texts(found.Found))
	}
	edit(`data = replace(data, ':', ': ')`, early)(w)
	w.rebuild()
	own := w.key.Salt
	w.key.Salt = proof.Salt{2}
	w.publish()
	w.key.Salt = own
	if found := w.verify(); !by(found, verification.Published) || !strings.Contains(texts(found.Found)[0], "a second history was signed") {
		t.Errorf("with the salt: %q", texts(found.Found))
	}
	if found := w.verify(w.kept); !by(found, verification.KeptNote) {
		t.Errorf("with the salt and a kept checkpoint: %q", texts(found.Found))
	}
	w.salt = nil
	if found := w.verify(); len(found.Found) > 0 {
		t.Errorf("without the salt, nothing shows it: %q", texts(found.Found))
	}
	if err := w.tryBegin(maps.Clone(w.signed)); err == nil || !strings.Contains(err.Error(), "signed for other logs") {
		t.Errorf("the signer begins: %v", err)
	}
}

// With the key and every right over the database, a thief signs a changed past as the next
// epoch. The witness refuses it, however the epoch explains itself, and an auditor finds it
// with a kept checkpoint.
func TestRewrittenPastIsNoEpoch_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t, size{witnessed: 30, kept: 35, signed: 40, all: 45})
	last := w.size.witnessed
	w.now = w.now.Add(time.Hour)
	w.check(w.cosign(w.witnessed, last)) // and what it covers is settled
	cosigned := w.grown
	honest, _ := w.leaves()
	edit(`data = replace(data, ':', ': ')`, early)(w)
	forged, size := w.leaves()
	root := func(of tlog.HashReader, size int64) tlog.Hash {
		if size == 0 {
			return proof.Edge{}.Root()
		}
		return must(tlog.TreeHash(size, of))(t)
	}
	for name, left := range map[string]proof.Left{
		"it has kept all":              {Epoch: 1, Size: cosigned, Root: root(honest, cosigned)},
		"it has kept the changed past": {Epoch: 1, Size: cosigned, Root: root(forged, cosigned)},
		"it has lost the changed past": {Epoch: 1, Size: early(w.size), Root: root(honest, early(w.size))},
		"it has lost all":              {Epoch: 1, Root: root(honest, 0)},
	} {
		c := proof.Checkpoint{Origin: w.origin(elm), Size: size, Root: root(forged, size), Left: proof.EpochsOf([]proof.Left{left})}
		c.Origin.Epoch = 2
		asked := proof.Continuation{Epoch: 1, Cosigned: cosigned, Consistency: proof.Consistency{Old: left.Size, Note: must(c.Sign(w.key))(t)}}
		if left.Size > 0 && left.Size < cosigned {
			asked.Before = must(tlog.ProveTree(cosigned, left.Size, honest))(t)
		}
		if left.Size > 0 && left.Size < size {
			asked.Proof = must(tlog.ProveTree(size, left.Size, forged))(t)
		}
		for way, ask := range map[string]func() error{
			"proved":   func() error { _, err := w.witness.Continue(t.Context(), asked.Format()); return err },
			"unproved": func() error { _, err := w.witness.Cosign(t.Context(), asked.Consistency.Format()); return err },
		} {
			w.witness.State = maps.Clone(w.witnessed)
			if ask() == nil {
				t.Errorf("%s: the witness cosigns it, %s", name, way)
			}
		}
	}
}

// A thief of the key alone, who has an export, has a witness cosign made-up entries. The
// signer learns it from the witness at its next round.
func TestStolenKeyIsFoundAtWitness_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t, size{witnessed: 30, kept: 35, signed: 40, all: 45})
	honest, size := w.leaves()
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(at []int64) (found []tlog.Hash, err error) {
		for _, n := range at {
			if n < int64(len(stored)) {
				found = append(found, stored[n])
				continue
			}
			hashes, err := honest.ReadHashes([]int64{n})
			if err != nil {
				return nil, err
			}
			found = append(found, hashes...)
		}
		return found, nil
	})
	stored = must(honest.ReadHashes(indexes(tlog.StoredHashCount(size))))(t)
	stored = append(stored, must(tlog.StoredHashes(size, []byte("made up"), reader))(t)...)
	c := proof.Checkpoint{Origin: w.origin(elm), Size: size + 1, Root: must(tlog.TreeHash(size+1, reader))(t)}
	asked := proof.Consistency{Old: w.size.witnessed, Proof: must(tlog.ProveTree(size+1, w.size.witnessed, reader))(t), Note: must(c.Sign(w.key))(t)}
	w.witness.State = w.witnessed
	if _, err := w.witness.Cosign(t.Context(), asked.Format()); err != nil {
		t.Fatal(err)
	}
	w.write(3) // the practice goes on working
	if err := w.cosign(w.witnessed, size+1); err == nil {
		t.Error("the witness cosigns both")
	}
}

func indexes(n int64) (all []int64) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// A superuser cuts the end off, begins an epoch and stores all but one event again. The
// signer follows, the loss stays an alert, and what is lost is in the checkpoint.
func TestRewrittenTailIsNamed_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t, size{witnessed: 30, kept: 35, signed: 40, all: 45})
	lost := w.size.kept - 2
	before, _ := w.published(elm)
	truncate(func(size) int64 { return lost })(w)
	must(eventstore.NewSequencer(w.attacker, nil, nil, nil).DeclareEpoch(w.ctx, 2, "The volume was put back.", event.Operator("owner", "desk")))(t)
	w.write(20)
	w.rebuild()
	remembers := maps.Clone(w.signed)
	signer := w.newSigner(remembers, false)
	for _, problem := range signer.Round(w.ctx) {
		if _, is := errors.AsType[notary.Alarm](problem); is {
			t.Errorf("a short loss stops the signer: %v", problem)
		}
	}
	if !strings.Contains(string(remembers["state"]), `"unacknowledged":2`) {
		t.Error("the loss is no alert")
	}
	after, _ := w.published(elm)
	if left, _ := after.Left.Of(1); after.Origin.Epoch != 2 || left.Size != lost || before.Size <= lost {
		t.Errorf("after %v it signs %v", before, after)
	}
	found := w.verify(w.kept)
	if !by(found, verification.KeptNote) || found.Epoch != 2 || len(found.Left) != 1 || found.Ended == 0 {
		t.Errorf("an auditor finds %q in epoch %d, with %+v left and %d ended", texts(found.Found), found.Epoch, found.Left, found.Ended)
	}
	if found := w.verify(); len(found.Found) > 0 {
		t.Errorf("without a kept checkpoint: %q", texts(found.Found))
	}
}
