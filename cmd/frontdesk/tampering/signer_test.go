package tampering_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres"
	"frontdesk/domain/proof"
)

// newSigner returns a signer of the world's log, which remembers in a folder. Its clock
// stands, so it reads everything again only if it is told to.
func (w *world) newSigner(folder string, all bool) *notary.Signer {
	w.t.Helper()
	state := must(notary.OpenState(folder))(w.t)
	w.t.Cleanup(func() { _ = state.Close() })
	now := time.Now()
	s := &notary.Signer{
		Key: w.key, State: state, Sources: map[proof.Kind]notary.Source{proof.Events: events{w.engine.Log}}, Desk: desk{postgres.Checkpoints{DB: w.attacker}},
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }, VerifyAll: all,
	}
	w.check(s.Begin(w.ctx))
	return s
}

// alarms reports whether the signer raises an alarm when it has read everything again, as
// it does each day.
func (w *world) alarms() bool {
	w.t.Helper()
	folder := w.t.TempDir()
	w.check(os.WriteFile(filepath.Join(folder, "state"), must(os.ReadFile(filepath.Join(w.state, "state")))(w.t), 0o600))
	for _, problem := range w.newSigner(folder, true).Round(w.ctx) {
		if _, is := errors.AsType[notary.Alarm](problem); !is {
			w.t.Fatal(problem)
		}
		return true
	}
	return false
}

// events is the log as a signer reads it.
type events struct{ log postgres.Log }

func (e events) Look(ctx context.Context) (notary.Look, error) {
	is, err := e.log.Standing(ctx)
	return notary.Look{Head: is.Head, Epoch: is.Epoch}, err
}

func (e events) Leaves(ctx context.Context, after int64) (leaves []notary.Leaf, err error) {
	page, err := e.log.Rows(ctx, after)
	if _, hole := errors.AsType[postgres.Hole](err); hole {
		err = nil
	}
	for _, s := range page {
		leaves = append(leaves, notary.Leaf{Idx: s.Idx, Tenant: s.Stream.Tenant, Hash: proof.LeafOf(s).Hash()})
	}
	return leaves, err
}

// desk is where the signer's notes go.
type desk struct{ postgres.Checkpoints }

func (d desk) Published(ctx context.Context) (all []notary.Published, err error) {
	found, err := d.Newest(ctx)
	for _, c := range found {
		all = append(all, notary.Published{Tree: c.Tree, Epoch: c.Epoch, Size: c.Size, Note: []byte(c.Note)})
	}
	return all, err
}

func (d desk) Publish(ctx context.Context, notes []notary.Published) error {
	var all []postgres.Checkpoint
	for _, n := range notes {
		all = append(all, postgres.Checkpoint{Tree: n.Tree, Epoch: n.Epoch, Size: n.Size, Note: string(n.Note)})
	}
	return d.Checkpoints.Publish(ctx, all)
}
