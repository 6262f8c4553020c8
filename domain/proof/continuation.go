package proof

import (
	"bytes"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/fault"
)

// Continuation proves to a witness that the first checkpoint of an epoch goes on from the
// one that the witness has cosigned last, of an earlier epoch. The checkpoint names the
// leaves that its log has kept of that epoch: [Checkpoint.Left].
type Continuation struct {
	Epoch       int            // the last one with a cosigned checkpoint
	Cosigned    int64          // the size of that checkpoint
	Before      tlog.TreeProof // between the kept leaves and that checkpoint, in the tree of that epoch
	Consistency                // between the kept leaves and the new checkpoint
}

// Format returns the request to a witness: a first line with the epoch and the size, the
// hashes of the first proof, an empty line, and the second proof with the note.
func (c Continuation) Format() []byte {
	b := appendHashes(fmt.Appendf(nil, "epoch %d %d\n", c.Epoch, c.Cosigned), c.Before)
	return append(append(b, '\n'), c.Consistency.Format()...)
}

var errContinuation = fault.New(fault.Invalid, "invalid-proof",
	"This is no proof that an epoch goes on from an earlier one.")

// ParseContinuation parses a request. It accepts only the form of [Continuation.Format].
func ParseContinuation(b []byte) (c Continuation, err error) {
	first, rest, _ := bytes.Cut(b, []byte("\n"))
	if n, err := fmt.Sscanf(string(first), "epoch %d %d", &c.Epoch, &c.Cosigned); n != 2 || err != nil {
		return c, errContinuation
	}
	hashes, rest, ok := cutHashes(rest)
	if !ok {
		return c, errContinuation
	}
	c.Before = hashes
	if c.Consistency, err = ParseConsistency(rest); err != nil || !bytes.Equal(c.Format(), b) {
		return c, errContinuation
	}
	return c, nil
}

// Check reports whether the newer checkpoint goes on from the last one of the earlier
// epoch. Leaves of that epoch behind the kept ones are lost, and Check returns how many.
func (c Continuation) Check(last, newer Checkpoint) (lost int64, err error) {
	left, named := newer.Left.Of(last.Origin.Epoch)
	if !named || c.Epoch != last.Origin.Epoch || c.Cosigned != last.Size || c.Old != left.Size {
		return 0, ErrInconsistent
	}
	small, large := left, Left{Size: last.Size, Root: last.Root}
	if small.Size > large.Size {
		small, large = large, small
	}
	before := Consistency{Old: small.Size, Proof: c.Before}
	if err := before.Check(small.Root, Checkpoint{Size: large.Size, Root: large.Root}); err != nil {
		return 0, err
	}
	return max(0, last.Size-left.Size), c.Consistency.Check(left.Root, newer)
}
