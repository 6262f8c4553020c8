package proving

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// Proofs reads the published checkpoints, and proves that logs have only grown.
type Proofs struct{ DB postgres.DB }

// Newest returns the newest published checkpoint of a log; [proof.ErrNoCheckpoint] without
// one.
func (p Proofs) Newest(ctx context.Context, tree proof.Tree) (proof.Signed, error) {
	found, err := accesslog.Checkpoints{DB: p.DB}.Of(ctx, tree)
	if err != nil {
		return proof.Signed{}, err
	}
	c, err := proof.ParseNote([]byte(found.Note))
	if err != nil {
		return proof.Signed{}, errNote // err would read as a fault of the caller
	}
	return proof.Signed{Checkpoint: c, Note: found.Note}, nil
}

// The errors of a database that differs from the signed log.
var (
	errNote      = errors.New("a published checkpoint has not the form of one")
	errNotSigned = errors.New("the stored trees do not lead to the signed root")
)

// ErrBehind means that the trees have not reached a checkpoint yet. The prover follows
// the log, and builds a tree again after a loss.
var ErrBehind = fault.New(fault.Unavailable, "unavailable", "The proof of this log is not ready yet. Try again shortly.")

// Growth returns a proof that the log of a checkpoint begins with its first leaves. The
// proof is verified against the checkpoint's root, because the trees are not trusted.
func (p Proofs) Growth(ctx context.Context, tree proof.Tree, first int64, newest proof.Signed) (proof.Consistency, error) {
	c := proof.Consistency{Old: first, Note: []byte(newest.Note)}
	trees := Trees{DB: p.DB}
	size, err := trees.Size(ctx, tree)
	switch {
	case err != nil:
		return c, err
	case size < newest.Size:
		return c, ErrBehind
	case first == 0: // every log begins with the empty one
		return c, nil
	}
	root, err := trees.Root(ctx, tree, first)
	if err != nil {
		return c, err
	}
	if c.Proof, err = tlog.ProveTree(newest.Size, first, trees.Hashes(ctx, tree)); err != nil {
		return c, fmt.Errorf("prove that a log has grown: %w", err)
	}
	if c.Check(root, newest.Checkpoint) != nil {
		return c, errNotSigned
	}
	return c, nil
}
