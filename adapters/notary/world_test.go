package notary_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
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
	"frontdesk/domain/epoch"
	"frontdesk/domain/proof"
)

// world is a database, as the signer sees it, and everything around it.
type world struct {
	t    *testing.T
	dir  string
	key  notary.Key
	said *bytes.Buffer

	mu     sync.Mutex // the daily reading looks at the logs, too
	logs   map[proof.Kind]*fakeLog
	desk   fakeDesk
	now    time.Time
	signer *notary.Signer
	state  *statedir.Dir
}

// fakeLog is a log, which a test changes as it likes.
type fakeLog struct {
	w      *world
	leaves []notary.Leaf
	kept   notary.Kept
	head   int64 // 0 is what the leaves say
	epoch  int
	wait   string
	fails  error
	looks  int
	reads  int
	onLook func(looks int)
	page   int // leaves at once; 0 is three, so that pages end everywhere
}

// Look says how far the log has come.
func (l *fakeLog) Look(context.Context) (notary.Look, error) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	if l.looks++; l.onLook != nil {
		l.onLook(l.looks)
	}
	head := l.head
	if n := len(l.leaves); head == 0 && n > 0 {
		head = l.leaves[n-1].Idx
	}
	return notary.Look{Head: head, Kept: l.kept.Idx, Epoch: max(1, l.epoch), Wait: l.wait}, l.fails
}

// Leaves returns a page of leaves.
func (l *fakeLog) Leaves(_ context.Context, after int64) (page []notary.Leaf, err error) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	l.reads++
	for _, leaf := range l.leaves {
		if leaf.Idx > after && len(page) < cmp.Or(l.page, 3) {
			page = append(page, leaf)
		}
	}
	return page, l.fails
}

// Kept says where the leaves begin.
func (l *fakeLog) Kept(context.Context) (notary.Kept, error) { return l.kept, l.fails }

// add adds a leaf for each practice that is named.
func (l *fakeLog) add(text string, tenants ...string) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	for _, tenant := range tenants {
		l.leaves = append(l.leaves, leafOf(int64(len(l.leaves))+1, tenant, text))
	}
}

// begin adds the event that begins an epoch.
func (l *fakeLog) begin(n int) {
	l.add(fmt.Sprint("epoch ", n), "")
	l.epoch, l.leaves[len(l.leaves)-1].Begun = n, &epoch.Begun{Epoch: n, LastKnown: int64(len(l.leaves)) - 1}
}

func leafOf(idx int64, tenant, text string) notary.Leaf {
	return notary.Leaf{Idx: idx, Tenant: tenant, Hash: tlog.RecordHash(fmt.Appendf(nil, "%d %s %s", idx, tenant, text))}
}

// of returns the hashes of a practice's leaves.
func (l *fakeLog) of(tenant string) (hashes []tlog.Hash) {
	for _, leaf := range l.leaves {
		if leaf.Tenant == tenant {
			hashes = append(hashes, leaf.Hash)
		}
	}
	return hashes
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

// fakeDesk keeps what was handed out.
type fakeDesk struct {
	notes map[proof.Tree]notary.Published
	count int
	fails error
}

// Published returns everything.
func (d *fakeDesk) Published(context.Context) (all []notary.Published, err error) {
	for _, p := range d.notes {
		all = append(all, p)
	}
	return all, d.fails
}

// Publish keeps what is newer.
func (d *fakeDesk) Publish(_ context.Context, notes []notary.Published) error {
	if d.fails != nil {
		return d.fails
	}
	for _, p := range notes {
		d.count++
		d.notes[p.Tree] = p
	}
	return nil
}

// newWorld makes a signer over a log of two practices.
func newWorld(t *testing.T) *world {
	t.Helper()
	private, err := notary.MakeKey("api.example")
	if err != nil {
		t.Fatal(err)
	}
	key, err := notary.ParseKey(private)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: t.TempDir(), key: key, said: &bytes.Buffer{}, now: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)}
	w.desk.notes = map[proof.Tree]notary.Published{}
	w.logs = map[proof.Kind]*fakeLog{proof.Events: {w: w}, proof.Access: {w: w}}
	w.events().add("first", "", "north", "south", "north", "north", "south", "", "north")
	w.begin(nil)
	t.Cleanup(func() { _ = w.state.Close() })
	return w
}

func (w *world) events() *fakeLog { return w.logs[proof.Events] }

// begin starts the signer, after the one before has died.
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
		Key: w.key, Dir: state, Desk: &w.desk, Hashes: w.reader, Log: slog.New(slog.NewTextHandler(w.said, nil)),
		Now: func() time.Time { return w.now }, Sources: map[proof.Kind]notary.Source{},
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

// quiet runs a round that finds nothing to complain of.
func (w *world) quiet() {
	w.t.Helper()
	if alarms, passing := w.round(); len(alarms)+len(passing) > 0 {
		w.t.Fatalf("alarms %q, problems %q", alarms, passing)
	}
}

// alarmed runs a round of which one alarm says something.
func (w *world) alarmed(says string) {
	w.t.Helper()
	if alarms, _ := w.round(); !slices.ContainsFunc(alarms, func(a string) bool { return strings.Contains(a, says) }) {
		w.t.Fatalf("alarms %q, want one that says %q", alarms, says)
	}
}

// published returns the checkpoint that is handed out for a tree, after checking its
// signature; zero if there is none.
func (w *world) published(tenant string, kind proof.Kind) (c proof.Checkpoint) {
	w.t.Helper()
	p, ok := w.desk.notes[proof.Tree{Tenant: tenant, Kind: kind}]
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

// wantSigned checks that the newest checkpoints of practices are of all their leaves.
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
