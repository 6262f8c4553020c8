package proof

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/fault"
)

// Consistency proves that a tree with a signed checkpoint begins with all leaves of an
// older one. Its form is the request to a witness: c2sp.org/tlog-witness,
// add-checkpoint.
type Consistency struct {
	Old   int64 // the older tree's size
	Proof tlog.TreeProof
	Note  []byte // the signed checkpoint of the newer tree
}

// Format returns the proof in the form of a file, and of a request to a witness.
func (c Consistency) Format() []byte {
	b := appendHashes(fmt.Appendf(nil, "old %d\n", c.Old), c.Proof)
	return append(append(b, '\n'), c.Note...)
}

var errConsistency = fault.New(fault.Invalid, "invalid-proof",
	"This is no proof that a log has only grown: give a file that audit prove --since has written, unchanged.")

// ParseConsistency parses a proof. It accepts only the form of [Consistency.Format].
func ParseConsistency(b []byte) (c Consistency, err error) {
	old, rest, ok := cutNumber(b, "old")
	if !ok {
		return c, errConsistency
	}
	hashes, note, ok := cutHashes(rest)
	if !ok {
		return c, errConsistency
	}
	return Consistency{Old: old, Proof: hashes, Note: note}, nil
}

// ErrInconsistent means that a tree is not a grown version of an older one.
var ErrInconsistent = fault.New(fault.Conflict, "inconsistent",
	"The newer tree does not begin with the older one: what was signed before has been changed or taken away.")

// Check reports whether the tree of size and root newer begins with the older one. An
// empty tree is the beginning of every other, and needs no proof.
func (c Consistency) Check(oldRoot tlog.Hash, newer Checkpoint) error {
	empty := Edge{}.Root()
	switch {
	case newer.Size == 0 && newer.Root != empty, c.Old == 0 && oldRoot != empty:
		return ErrInconsistent
	case c.Old == 0 || c.Old == newer.Size:
		if len(c.Proof) > 0 || c.Old == newer.Size && oldRoot != newer.Root {
			return ErrInconsistent
		}
		return nil
	}
	if err := tlog.CheckTree(c.Proof, newer.Size, newer.Root, c.Old, oldRoot); err != nil {
		return ErrInconsistent
	}
	return nil
}
