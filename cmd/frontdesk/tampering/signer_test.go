package tampering_test

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"maps"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/witness"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/domain/proof"
)

// notebook is the memory of a signer or a witness.
type notebook map[string][]byte

func (n notebook) Read(name string) ([]byte, error) { return n[name], nil }

func (n notebook) Write(name string, b []byte) error {
	n[name] = b
	return nil
}

// newSigner returns a signer of the world's logs, which remembers in a notebook.
func (w *world) newSigner(remembers notebook, all bool) *notary.Signer {
	w.t.Helper()
	s := w.signerOf(remembers, all)
	w.check(s.Begin(w.ctx))
	return s
}

// signerOf returns a signer that has not begun. It repeats a full reading only on request,
// because the clock does not move.
func (w *world) signerOf(remembers notebook, all bool) *notary.Signer {
	return app.Sign{Now: noon, Key: w.key, Log: slog.New(slog.DiscardHandler), VerifyAll: all}.Signer(remembers, postgres.On(w.attacker))
}

func (w *world) tryBegin(remembers notebook) error { return w.signerOf(remembers, false).Begin(w.ctx) }

// alarms reports whether a signer with the memory in a notebook raises an alarm after its
// daily full reading, or else continues.
func (w *world) alarms(remembers notebook) bool {
	w.t.Helper()
	signer := w.newSigner(remembers, true)
	problems := append(signer.Round(w.ctx), signer.Round(w.ctx)...) // new entries come after
	for _, problem := range problems {
		if _, is := errors.AsType[notary.Alarm](problem); !is {
			w.t.Fatal(problem)
		}
	}
	return len(problems) > 0
}

// newWitness adds a witness to the service.
func (w *world) newWitness() {
	w.t.Helper()
	secret, _, err := proof.GenerateWitnessKey(rand.Reader, "witness.example")
	w.check(err)
	w.witness = &witness.Witness{
		Key:  must(proof.NewCosigner(secret, noon))(w.t),
		Logs: []note.Verifier{w.trusts.Key}, Log: slog.New(slog.DiscardHandler), State: notebook{}, Now: func() time.Time { return w.now },
	}
}

// cosign asks a witness, with the memory in a notebook, to cosign the stored tree of Elm
// Street, signed with the service's key.
func (w *world) cosign(remembers notebook, last int64) error {
	w.t.Helper()
	tree, size := w.leaves()
	c := proof.Checkpoint{Origin: w.origin(elm), Size: size, Root: must(tlog.TreeHash(size, tree))(w.t)}
	asked := proof.Consistency{Old: min(last, size), Note: must(c.Sign(w.key))(w.t)}
	if last > 0 && last < size {
		asked.Proof = must(tlog.ProveTree(size, last, tree))(w.t)
	}
	w.witness.State = remembers
	_, err := w.witness.Cosign(w.ctx, asked.Format())
	return err
}

// refuses reports whether a witness with its earlier cosignatures refuses the tree.
func (w *world) refuses() bool {
	w.t.Helper()
	return w.cosign(maps.Clone(w.witnessed), w.size.witnessed) != nil
}

// leaves returns the tree of Elm Street's stored leaves, even with gaps.
func (w *world) leaves() (tlog.HashReader, int64) {
	w.t.Helper()
	var stored []tlog.Hash
	size, head := int64(0), must(w.engine.Log.Head(w.ctx))(w.t)
	reader := tlog.HashReaderFunc(func(at []int64) (found []tlog.Hash, err error) {
		for _, n := range at {
			found = append(found, stored[n])
		}
		return found, nil
	})
	for idx := int64(0); idx < head; {
		page, err := w.engine.Log.Rows(w.ctx, idx)
		for _, s := range page {
			if idx = s.Idx; s.Stream.Tenant == elm.Tenant {
				stored = append(stored, must(tlog.StoredHashesForRecordHash(size, proof.LeafOf(s).Hash(), reader))(w.t)...)
				size++
			}
		}
		if _, hole := errors.AsType[eventstore.Hole](err); hole {
			idx++
			continue
		}
		w.check(err)
	}
	return reader, size
}
