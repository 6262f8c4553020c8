package notary

import (
	"context"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/epoch"
	"frontdesk/domain/proof"
)

// Source shows one log: the events, or the access record.
type Source interface {
	// Look says how far the log has come.
	Look(ctx context.Context) (Look, error)
	// Leaves returns a page of the leaves after an idx, in order. It is empty at the end of
	// the log, and where the next leaf is lost.
	Leaves(ctx context.Context, after int64) ([]Leaf, error)
	// Kept says where the leaves begin that are still there. Nobody vouches for it: a reading
	// that goes on from wrong trees comes to no root that was signed.
	Kept(ctx context.Context) (Kept, error)
}

// Kept are the trees of the leaves that were archived, by practice. Its zero value is a log
// that has all of its leaves.
type Kept struct {
	Idx   int64 // up to which leaves were archived
	Trees map[string]proof.Edge
}

// Look is how a log presents itself at a moment.
type Look struct {
	Head  int64  // the idx of its last leaf; 0 if it is empty
	Kept  int64  // [Kept]'s Idx
	Epoch int    // that the database says it is in
	Wait  string // why nothing can be signed now although nothing is wrong; "" if it can
}

// Leaf is a leaf of one of the trees.
type Leaf struct {
	Idx    int64 // in the log of all practices, from 1 and dense
	Tenant string
	Hash   tlog.Hash
	Begun  *epoch.Begun // if it begins an epoch
}

// Desk is where checkpoints are handed out.
type Desk interface {
	// Published returns the newest note of each tree. Nobody vouches for them.
	Published(ctx context.Context) ([]Published, error)
	// Publish hands out notes, and keeps the newest. It refuses one of another log than the
	// tree had before.
	Publish(ctx context.Context, notes []Published) error
}

// Dir is the folder of a signer. One process at a time has it.
type Dir interface {
	// Read returns what was written under a name; nil if nothing was.
	Read(name string) ([]byte, error)
	// Write puts something in the place of what was there. It is on the disk when Write returns.
	Write(name string, text []byte) error
}

// Published is a signed note, as everybody may have it.
type Published struct {
	Tree  proof.Tree
	Epoch int
	Size  int64
	Note  []byte
}

// Hashes returns the stored hashes of a tree, which need not be right.
type Hashes func(ctx context.Context, tree proof.Tree) tlog.HashReader
