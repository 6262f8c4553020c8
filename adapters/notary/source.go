package notary

import (
	"context"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/epoch"
	"frontdesk/domain/proof"
)

// Source reads one log: the events, or the access record.
type Source interface {
	// Look returns the state of the log.
	Look(ctx context.Context) (Look, error)
	// Leaves returns a page of the leaves after an idx, in order. It is empty at the
	// end of the log, and where the next leaf is missing.
	Leaves(ctx context.Context, after int64) ([]Leaf, error)
	// Kept returns the trees of the archived leaves. It is not trusted: a reading that
	// continues from wrong trees reaches no signed root.
	Kept(ctx context.Context) (Kept, error)
}

// Kept are the trees of the archived leaves, by practice. The zero value is a log
// without archived leaves.
type Kept struct {
	Idx   int64 // of the last archived leaf
	Trees map[string]proof.Edge
}

// Look is the state of a log at a moment.
type Look struct {
	Head  int64  // the idx of its last leaf; 0 if it is empty
	Kept  int64  // [Kept]'s Idx
	Epoch int    // according to the database
	Wait  string // why nothing can be signed at the moment, without an error; "" if it can
}

// Leaf is a leaf of one of the trees.
type Leaf struct {
	Idx    int64 // in the log of all practices, from 1, without gaps
	Tenant string
	Hash   tlog.Hash
	Begun  *epoch.Begun // if it begins an epoch
}

// Publisher publishes checkpoints.
type Publisher interface {
	// Published returns the newest note of each tree. They are not trusted.
	Published(ctx context.Context) ([]Published, error)
	// Publish publishes notes, and keeps the newest. It refuses one of another log than
	// the tree had before.
	Publish(ctx context.Context, notes []Published) error
}

// Dir is the directory of a signer. One process at a time has it.
type Dir interface {
	// Read returns the content of a file; nil if absent.
	Read(name string) ([]byte, error)
	// Write replaces a file. It is on disk when Write returns.
	Write(name string, text []byte) error
}

// Published is a public signed note.
type Published struct {
	Tree  proof.Tree
	Epoch int
	Size  int64
	Note  []byte
}

// Hashes returns the stored hashes of a tree, which may be wrong.
type Hashes func(ctx context.Context, tree proof.Tree) tlog.HashReader
