package notary_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/notary"
	"frontdesk/adapters/statedir"
	"frontdesk/domain/proof"
)

// world is a database as the signer sees it, with its surroundings.
type world struct {
	t      *testing.T
	dir    string
	key    notary.Key
	logged *bytes.Buffer

	mu        sync.Mutex // the daily reading uses the logs as well
	logs      map[proof.Kind]*fakeLog
	publisher fakePublisher
	now       time.Time
	signer    *notary.Signer
	state     *statedir.Dir
}

// reader returns the stored hashes of a tree.
func (w *world) reader(_ context.Context, of proof.Tree) tlog.HashReader {
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(at []int64) (found []tlog.Hash, err error) {
		for _, n := range at {
			if n >= int64(len(stored)) {
				return nil, errors.New("the tree has not come so far")
			}
			found = append(found, stored[n])
		}
		return found, nil
	})
	for n, leaf := range w.logs[of.Kind].of(of.Tenant) {
		more, err := tlog.StoredHashesForRecordHash(int64(n), leaf, reader)
		if err != nil {
			w.t.Fatal(err)
		}
		stored = append(stored, more...)
	}
	return reader
}

// newWorld makes a signer over a log of two practices.
func newWorld(t *testing.T) *world {
	t.Helper()
	private, err := notary.MakeKey("api.example", proof.Salt{1})
	if err != nil {
		t.Fatal(err)
	}
	key, err := notary.ParseKey(private)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: t.TempDir(), key: key, logged: &bytes.Buffer{}, now: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)}
	w.publisher.notes = map[proof.Tree]notary.Published{}
	w.logs = map[proof.Kind]*fakeLog{proof.Events: {w: w}, proof.Access: {w: w}}
	w.events().add("first", "", "north", "south", "north", "north", "south", "", "north")
	w.begin(nil)
	t.Cleanup(func() { _ = w.state.Close() })
	return w
}

func (w *world) events() *fakeLog { return w.logs[proof.Events] }

// begin starts the signer, after the death of the one before.
func (w *world) begin(change func(*notary.Signer)) {
	w.t.Helper()
	if err := w.tryBegin(change); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) tryBegin(change func(*notary.Signer)) error {
	if w.state != nil {
		_ = w.state.Close() // as the kernel does it
	}
	state, err := statedir.Open(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	w.state = state
	w.signer = &notary.Signer{
		Key: w.key, Dir: state, Publisher: &w.publisher, Hashes: w.reader, Log: slog.New(slog.NewTextHandler(w.logged, nil)),
		Now: func() time.Time { return w.now }, RereadEvery: 12 * time.Hour, Random: func(n time.Duration) time.Duration { return n - 1 }, Sources: map[proof.Kind]notary.Source{},
	}
	for kind, log := range w.logs {
		w.signer.Sources[kind] = log
	}
	if change != nil {
		change(w.signer)
	}
	return w.signer.Begin(w.t.Context())
}

// round runs a round and returns its alarms, and the other problems.
func (w *world) round() (alarms, passing []string) {
	w.t.Helper()
	for _, err := range w.signer.Round(w.t.Context()) {
		if _, is := errors.AsType[notary.Alarm](err); is {
			alarms = append(alarms, err.Error())
		} else {
			passing = append(passing, err.Error())
		}
	}
	return alarms, passing
}

// quiet runs a round without problems.
func (w *world) quiet() {
	w.t.Helper()
	if alarms, passing := w.round(); len(alarms)+len(passing) > 0 {
		w.t.Fatalf("alarms %q, problems %q", alarms, passing)
	}
}

// alarmed runs a round with one alarm that contains a text.
func (w *world) alarmed(says string) {
	w.t.Helper()
	if alarms, _ := w.round(); !slices.ContainsFunc(alarms, func(a string) bool { return strings.Contains(a, says) }) {
		w.t.Fatalf("alarms %q, want one that says %q", alarms, says)
	}
}

// published returns the published checkpoint of a tree, after verifying its signature;
// zero if absent.
func (w *world) published(tenant string, kind proof.Kind) (c proof.Checkpoint) {
	w.t.Helper()
	p, ok := w.publisher.notes[proof.Tree{Tenant: tenant, Kind: kind}]
	if !ok {
		return c
	}
	verifier, err := note.NewVerifier(w.key.Verifier)
	if err != nil {
		w.t.Fatal(err)
	}
	opened, err := note.Open(p.Note, note.VerifierList(verifier))
	if err != nil {
		w.t.Fatal(err)
	}
	c, err = proof.ParseCheckpoint(opened.Text)
	if err != nil || c.Size != p.Size || c.Origin.Epoch != p.Epoch {
		w.t.Fatalf("published as %+v: %v, %v", p, c, err)
	}
	return c
}

// wantSigned checks that the newest checkpoints of practices cover all their leaves.
func (w *world) wantSigned(tenants ...string) {
	w.t.Helper()
	for _, tenant := range tenants {
		var edge proof.Edge
		for _, leaf := range w.events().of(tenant) {
			edge.Append(leaf)
		}
		if c := w.published(tenant, proof.Events); c.Size != edge.Size || c.Root != edge.Root() {
			w.t.Errorf("%q is signed at size %d as %v, want size %d and %v", tenant, c.Size, c.Root, edge.Size, edge.Root())
		}
	}
}
