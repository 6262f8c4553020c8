package notary_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/notary"
	"frontdesk/domain/proof"
)

// A standby that had everything is promoted: the trees continue, under another origin.
func TestNextEpochHasItsOwnOrigin_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.logs[proof.Access].add("call", "north")
	w.quiet()
	north, access := w.published("north", proof.Events), w.published("north", proof.Access)
	w.events().begin(2)
	w.events().add("more", "north")
	w.quiet()
	w.wantSigned("", "north", "south")
	north.Origin.Epoch, access.Origin.Epoch = 2, 2
	if now := w.published("north", proof.Events); now.Origin != north.Origin || now.Size != north.Size+1 {
		t.Errorf("north goes on as %v, want after %v", now, north)
	}
	if now := w.published("north", proof.Access); now.Origin != access.Origin || now.Root != access.Root {
		t.Errorf("the access record goes on as %v, want %v", now, access)
	}
}

// lose removes the end of the log after an idx, and replaces its first leaves.
func (w *world) lose(after int, text string, tenants ...string) {
	for n := range w.events().leaves[:after] {
		if text != "first" && n < 3 {
			w.events().leaves[n] = leafOf(int64(n)+1, w.events().leaves[n].Tenant, text)
		}
	}
	w.events().leaves = w.events().leaves[:after]
	w.events().begin(2)
	w.events().add("other", tenants...)
}

func TestSignerContinuesInNextEpoch_D77(t *testing.T) {
	t.Parallel()
	for name, tenants := range map[string][]string{
		"shorter than before": {"north"},
		"longer than before":  {"north", "south", "north", "", "west"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for n := range 20 { // a round each, so that there are anchors
				w.events().add(fmt.Sprint("round ", n), "north", "south")
				w.quiet()
			}
			w.logs[proof.Access].add("call", "north", "north")
			w.quiet()
			north := w.published("north", proof.Events)
			w.lose(40, "first", tenants...)
			w.logs[proof.Access].leaves = w.logs[proof.Access].leaves[:1]
			w.quiet()
			w.wantSigned("", "north", "south")
			now := w.published("north", proof.Events)
			if now.Origin.Log != north.Origin.Log || now.Origin.Epoch != 2 || now.Size >= north.Size {
				t.Errorf("%v goes on as %v", north, now)
			}
			if access := w.published("north", proof.Access); access.Origin.Epoch != 2 || access.Size != 1 {
				t.Errorf("the access record goes on as %v", access)
			}
			kept, err := os.ReadFile(filepath.Join(w.dir, "state.1.epoch-1"))
			if err != nil || !strings.Contains(string(kept), `"size":`+fmt.Sprint(north.Size)) && !strings.Contains(string(kept), `"Size":`+fmt.Sprint(north.Size)) {
				t.Errorf("what was signed before is not kept: %v", err)
			}
			if logged := w.logged.String(); !strings.Contains(logged, "lost its end") || !strings.Contains(logged, "same_up_to=40") {
				t.Errorf("it says %s", logged)
			}
			w.begin(nil)
			w.quiet()
			w.wantSigned("", "north", "south")
		})
	}
}

// An epoch explains the loss of an end. It must not cover changes before that.
func TestAnEpochExplainsNoOtherPast_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range 20 {
		w.events().add(fmt.Sprint("round ", n), "north", "south")
		w.quiet()
	}
	north := w.published("north", proof.Events)
	w.lose(40, "edited", "north")
	for range 2 {
		w.alarmed("epoch 2 says that everything up to idx 40 is as before, and it is not: it is the same up to idx 0")
		w.begin(nil)
	}
	if w.published("north", proof.Events) != north {
		t.Error("it is signed all the same")
	}
	w.begin(func(s *notary.Signer) { s.AcceptEpoch = 3 })
	w.alarmed("--accept-epoch 2")
	w.begin(func(s *notary.Signer) { s.AcceptEpoch = 2 })
	w.quiet()
	w.wantSigned("", "north", "south")
}

// An event that begins an epoch does not explain a tree that was changed before: the
// part that the epoch keeps is compared as always.
func TestRefusedTreeStaysRefused_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.quiet()
	w.events().leaves[2] = leafOf(3, "south", "edited")
	w.begin(func(s *notary.Signer) { s.VerifyAll = true })
	w.alarmed("practice south is not as it was")
	w.events().begin(2)
	w.alarmed("practice south is not as it was")
	w.wantSigned("", "north")
	if south := w.published("south", proof.Events); south.Origin.Epoch != 1 {
		t.Errorf("south is signed as %v", south)
	}
}

// The access record loses its first lines to an archive.
func TestAnArchivedBeginningIsNoLoss_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	calls := w.logs[proof.Access]
	calls.add("call", "north", "south", "north", "north", "south", "north")
	w.quiet()
	kept := map[string]proof.Edge{}
	for _, leaf := range calls.leaves[:4] {
		edge := kept[leaf.Tenant]
		edge.Append(leaf.Hash)
		kept[leaf.Tenant] = edge
	}
	kept[""] = proof.Edge{}
	whole := append([]notary.Leaf(nil), calls.leaves...)
	calls.kept = notary.Kept{Idx: 4, Trees: kept}
	calls.leaves = whole[4:]
	w.begin(func(s *notary.Signer) { s.VerifyAll = true })
	w.quiet()
	w.events().begin(2)
	w.begin(func(s *notary.Signer) { s.VerifyAll = true })
	w.quiet()
	if logged := w.logged.String(); strings.Contains(logged, "lost its end") {
		t.Errorf("what was archived is taken for lost: %s", logged)
	}
	all := map[string]proof.Edge{}
	for _, leaf := range whole {
		edge := all[leaf.Tenant]
		edge.Append(leaf.Hash)
		all[leaf.Tenant] = edge
	}
	calls.kept, calls.leaves = notary.Kept{Idx: 6, Trees: all}, nil // no leaves are left
	calls.head = 6
	w.begin(func(s *notary.Signer) { s.VerifyAll = true })
	w.quiet()
	calls.head, calls.leaves = 0, []notary.Leaf{leafOf(7, "north", "new")}
	w.quiet()
	if c := w.published("north", proof.Access); c.Size != 5 {
		t.Errorf("signed as %v, want size 5", c)
	}

	other := kept["north"]
	other.Roots = append([]tlog.Hash(nil), other.Roots...)
	other.Roots[0][0]++
	kept["north"] = other
	calls.kept, calls.leaves = notary.Kept{Idx: 4, Trees: kept}, append(slices.Clone(whole[4:]), leafOf(7, "north", "new"))
	w.begin(func(s *notary.Signer) { s.VerifyAll = true })
	w.alarmed("the access record of practice north is not as it was")
}

// With the serving role's password an attacker can append an event that claims to begin
// an epoch. The database is in none, so the log continues as before.
func TestAForgedEpochBeginsNone_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.quiet()
	w.events().begin(999)
	w.events().epoch = 1
	w.events().add("more", "north")
	w.quiet()
	w.wantSigned("", "north", "south")
	if c := w.published("north", proof.Events); c.Origin.Epoch != 1 {
		t.Errorf("signed in epoch %d, want 1", c.Origin.Epoch)
	}
	w.events().begin(2)
	w.begin(func(s *notary.Signer) { s.VerifyAll = true })
	w.quiet()
	if c := w.published("north", proof.Events); c.Origin.Epoch != 2 {
		t.Errorf("signed in epoch %d, want 2", c.Origin.Epoch)
	}
}
