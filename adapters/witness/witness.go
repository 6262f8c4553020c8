package witness

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// State stores files durably. One process has it.
type State interface {
	Read(name string) ([]byte, error) // nil if there is no such file
	Write(name string, b []byte) error
}

// Witness cosigns checkpoints. It is safe for concurrent use.
type Witness struct {
	Key   proof.Cosigner
	Logs  []note.Verifier // of the logs that it witnesses; a name may have several
	State State
	Log   *slog.Logger
	Now   func() time.Time

	AcceptEpoch map[string]int // by the name of a log's key: the epoch that may begin without proofs

	turns [256]sync.Mutex // one request of a log at a time; logs share them
}

// The refusals of the witness.
var (
	errMalformed  = fault.New(fault.Invalid, "malformed-request", "Send an old size, a proof, an empty line and a signed checkpoint, as c2sp.org/tlog-witness has it.")
	errShrinking  = fault.New(fault.Invalid, "malformed-request", "The old size is larger than the checkpoint's.")
	errUnknownLog = fault.New(fault.Missing, "unknown-log", "This witness does not have the key of this log.")
	errUnsigned   = fault.New(fault.Forbidden, "unsigned-checkpoint", "The checkpoint is not signed by a key that this witness has.")
	errUnproved   = fault.New(fault.Refused, "inconsistent", "The proof does not show that the checkpoint's tree begins with the one that was cosigned last.")
	errEnded      = fault.New(fault.Refused, "epoch-ended", "This witness has cosigned a later epoch of this log: it cosigns nothing of this one.")
	errOtherPast  = fault.New(fault.Refused, "inconsistent", "In one epoch, all checkpoints name the same earlier epochs, and this one names others.")
	errLoses      = fault.New(fault.Refused, "epoch-loses-too-much", "The epoch has lost entries that this witness has cosigned more than ten minutes ago: ask its operator to accept the epoch.")
	errState      = errors.New("the state of a log was not written by this witness: it cosigns nothing of that log")
)

// otherSize is the error that the old size is not the last cosigned one, which it
// contains.
type otherSize int64

func (s otherSize) Error() string { return fmt.Sprintf("%d were cosigned last", int64(s)) }

// otherEpoch is the error that the witness has cosigned an earlier epoch of the log, up to
// a size, and that the new one comes without proofs that it goes on from there.
type otherEpoch struct {
	epoch int
	size  int64
}

func (e otherEpoch) Error() string {
	return fmt.Sprintf("%d of epoch %d were cosigned last", e.size, e.epoch)
}

// Cosign answers a request: it returns the lines of the cosignature, after storing its
// checkpoint as the last cosigned one.
func (w *Witness) Cosign(ctx context.Context, request []byte) (lines []byte, err error) {
	asked, err := proof.ParseConsistency(request)
	if err != nil {
		return nil, errMalformed
	}
	opened, newer, err := w.open(asked.Note)
	if err != nil {
		return nil, err
	}
	if asked.Old > newer.Size {
		return nil, errShrinking
	}
	defer w.lock(newer.Origin)()
	name := fileOf(newer.Origin)
	last, _, err := w.last(name)
	if err != nil {
		return nil, err
	}
	history, err := w.history(newer.Origin)
	if err != nil {
		return nil, err
	}
	switch before := history.last(); {
	case before.Epoch > newer.Origin.Epoch:
		return nil, errEnded
	case last.Size == 0 && before.Epoch > 0 && before.Epoch < newer.Origin.Epoch:
		return w.begin(ctx, history, newer, opened)
	case last.Size > 0 && last.Left != newer.Left:
		return nil, errOtherPast
	}
	if last.Size > 0 && last.Size == newer.Size && last.Root != newer.Root {
		w.keepFork(ctx, name, newer, asked.Note)
	}
	if asked.Old != last.Size {
		return nil, otherSize(last.Size)
	}
	if err := asked.Check(last.Root, newer); err != nil {
		w.Log.WarnContext(ctx, "a signed checkpoint comes without a valid proof; not cosigned", attrsOf(newer)...)
		return nil, errUnproved
	}
	if last.Size == 0 { // the first one of the log
		if err := w.record(history, begun{Epoch: newer.Origin.Epoch}); err != nil {
			return nil, err
		}
	}
	return w.cosign(newer, opened)
}

// begin answers a request for the first checkpoint of a later epoch, without proofs that it
// goes on from the earlier one. It cosigns only an epoch that the operator has accepted.
func (w *Witness) begin(ctx context.Context, h history, newer proof.Checkpoint, opened *note.Note) ([]byte, error) {
	before := h.last()
	cosigned, err := w.cosignedIn(h, before.Epoch)
	if err != nil {
		return nil, err
	}
	if w.AcceptEpoch[newer.Origin.Name] != newer.Origin.Epoch {
		return nil, otherEpoch{before.Epoch, cosigned.Size}
	}
	left, _ := newer.Left.Of(before.Epoch)
	w.Log.WarnContext(ctx, "an epoch begins without proofs, because the operator has accepted it",
		append(attrsOf(newer), slog.Int("epoch_before", before.Epoch), slog.Int64("cosigned_before", cosigned.Size))...)
	if err := w.record(h, begun{Epoch: newer.Origin.Epoch, Before: before.Epoch, Cosigned: cosigned.Size, Left: left.Size, Accepted: true}); err != nil {
		return nil, err
	}
	if err := w.resettle(newer.Origin, left.Size); err != nil {
		return nil, err
	}
	return w.cosign(newer, opened)
}

// Continue answers a request for the first checkpoint of a later epoch, with proofs that it
// goes on from the last cosigned one of an earlier epoch. The witness records where that
// was left.
func (w *Witness) Continue(ctx context.Context, request []byte) (lines []byte, err error) {
	asked, err := proof.ParseContinuation(request)
	if err != nil {
		return nil, errMalformed
	}
	opened, newer, err := w.open(asked.Note)
	if err != nil {
		return nil, err
	}
	defer w.lock(newer.Origin)()
	last, _, err := w.last(fileOf(newer.Origin))
	if err != nil {
		return nil, err
	}
	h, err := w.history(newer.Origin)
	if err != nil {
		return nil, err
	}
	before := h.last()
	switch {
	case last.Size > 0:
		return nil, otherSize(last.Size)
	case before.Epoch > newer.Origin.Epoch:
		return nil, errEnded
	case before.Epoch == 0 || before.Epoch == newer.Origin.Epoch:
		return nil, errUnproved // an ordinary request is wanted
	}
	cosigned, err := w.cosignedIn(h, before.Epoch)
	if err != nil {
		return nil, err
	}
	if asked.Epoch != before.Epoch || asked.Cosigned != cosigned.Size {
		return nil, otherEpoch{before.Epoch, cosigned.Size}
	}
	if err := w.checkContinuation(ctx, asked, cosigned, newer); err != nil {
		return nil, err
	}
	if err := w.record(h, begun{Epoch: newer.Origin.Epoch, Before: before.Epoch, Cosigned: cosigned.Size, Left: asked.Old}); err != nil {
		return nil, err
	}
	if err := w.resettle(newer.Origin, asked.Old); err != nil {
		return nil, err
	}
	return w.cosign(newer, opened)
}

// checkContinuation refuses an epoch that is not proved to go on from the last cosigned
// checkpoint of an earlier one, or that has lost settled entries. It logs other losses.
func (w *Witness) checkContinuation(ctx context.Context, asked proof.Continuation, cosigned, newer proof.Checkpoint) error {
	settled, err := w.settled(newer.Origin)
	if err != nil {
		return err
	}
	lost, err := asked.Check(cosigned, newer)
	at := append(attrsOf(newer), slog.Int("epoch_before", asked.Epoch), slog.Int64("cosigned_before", cosigned.Size), slog.Int64("lost", lost))
	switch {
	case err != nil:
		w.Log.WarnContext(ctx, "an epoch comes without proofs that it goes on from the last cosigned checkpoint; not cosigned", at...)
		return errUnproved
	case asked.Old < settled.until(w.Now()):
		w.Log.ErrorContext(ctx, "an epoch has lost entries that were cosigned more than ten minutes ago; not cosigned", at...)
		return errLoses
	case lost > 0:
		w.Log.ErrorContext(ctx, "an epoch has lost entries that were cosigned", at...)
	}
	return nil
}

// open returns the checkpoint of a signed note, with the valid signatures of its log.
func (w *Witness) open(signed []byte) (*note.Note, proof.Checkpoint, error) {
	read, err := unverified(signed)
	if err != nil {
		return nil, proof.Checkpoint{}, errMalformed
	}
	known := w.keysOf(read.Text)
	if len(known) == 0 {
		return nil, proof.Checkpoint{}, errUnknownLog
	}
	checkpoint, err := proof.ParseCheckpoint(read.Text)
	if err != nil {
		return nil, proof.Checkpoint{}, errMalformed
	}
	known = slices.DeleteFunc(known, func(key note.Verifier) bool { return key.Name() != checkpoint.Origin.Name })
	opened, err := note.Open(signed, note.VerifierList(known...))
	if err != nil {
		return nil, proof.Checkpoint{}, errUnsigned
	}
	return opened, checkpoint, nil
}

// cosign stores a checkpoint as the last cosigned one, and returns the cosignature.
func (w *Witness) cosign(c proof.Checkpoint, opened *note.Note) ([]byte, error) {
	cosigned, err := note.Sign(&note.Note{Text: opened.Text, Sigs: opened.Sigs}, w.Key)
	if err != nil {
		return nil, fmt.Errorf("cosign a checkpoint: %w", err)
	}
	if err := w.State.Write(fileOf(c.Origin), cosigned); err != nil {
		return nil, err
	}
	if err := w.settle(c); err != nil {
		return nil, err
	}
	return lastLine(cosigned), nil
}

// attrsOf is the log attributes of a checkpoint. An origin reveals no practice.
func attrsOf(c proof.Checkpoint) []any {
	return []any{slog.String("origin", c.Origin.String()), slog.Int64("size", c.Size), slog.String("root", c.Root.String())}
}
