package notary_test

import (
	"cmp"
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/notary"
	"frontdesk/domain/epoch"
	"frontdesk/domain/proof"
)

// fakeLog is a log that a test can change.
type fakeLog struct {
	w      *world
	leaves []notary.Leaf
	kept   notary.Kept
	head   int64 // 0: from the leaves
	epoch  int
	wait   string
	fails  error
	unread error // of the leaves only
	unkept error // of where they begin
	looks  int
	reads  int
	onLook func(looks int)
	page   int // leaves at once; 0 is three, so that pages end everywhere
}

// Look returns the state of the log.
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
	return page, cmp.Or(l.fails, l.unread)
}

// Kept returns the archived leaves.
func (l *fakeLog) Kept(context.Context) (notary.Kept, error) {
	return l.kept, cmp.Or(l.fails, l.unkept)
}

// add adds a leaf for each named practice.
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

// fakePublisher stores published notes.
type fakePublisher struct {
	notes map[proof.Tree]notary.Published
	count int
	fails error
}

// Published returns everything.
func (d *fakePublisher) Published(context.Context) (all []notary.Published, err error) {
	for _, p := range d.notes {
		all = append(all, p)
	}
	return all, d.fails
}

// Publish stores newer notes.
func (d *fakePublisher) Publish(_ context.Context, notes []notary.Published) error {
	if d.fails != nil {
		return d.fails
	}
	for _, p := range notes {
		d.count++
		d.notes[p.Tree] = p
	}
	return nil
}
