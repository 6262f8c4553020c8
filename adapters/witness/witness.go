package witness

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

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

	turns [256]sync.Mutex // one request of a log at a time; logs share them
}

// The refusals of the witness.
var (
	errMalformed  = fault.New(fault.Invalid, "malformed-request", "Send an old size, a proof, an empty line and a signed checkpoint, as c2sp.org/tlog-witness has it.")
	errShrinking  = fault.New(fault.Invalid, "malformed-request", "The old size is larger than the checkpoint's.")
	errUnknownLog = fault.New(fault.Missing, "unknown-log", "This witness was not told the key of this log.")
	errUnsigned   = fault.New(fault.Forbidden, "unsigned-checkpoint", "The checkpoint is not signed by a key that this witness was told.")
	errUnproved   = fault.New(fault.Refused, "inconsistent", "The proof does not show that the checkpoint's tree begins with the one that was cosigned last.")
	errState      = errors.New("the state of a log was not written by this witness: it cosigns nothing of that log")
)

// otherSize is the error that the old size is not the last cosigned one, which it
// contains.
type otherSize int64

func (s otherSize) Error() string { return fmt.Sprintf("%d were cosigned last", int64(s)) }

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
	name := fileOf(newer.Origin)
	turn := w.turnOf(name)
	turn.Lock()
	defer turn.Unlock()
	last, _, err := w.last(name)
	if err != nil {
		return nil, err
	}
	if last.Size > 0 && last.Size == newer.Size && last.Root != newer.Root {
		w.keepFork(ctx, name, newer, asked.Note)
	}
	if asked.Old != last.Size {
		return nil, otherSize(last.Size)
	}
	if err := asked.Check(last.Root, newer); err != nil {
		w.Log.WarnContext(ctx, "a checkpoint that is signed comes without a proof that holds; not cosigned", about(newer)...)
		return nil, errUnproved
	}
	return w.cosign(name, opened)
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
func (w *Witness) cosign(name string, opened *note.Note) ([]byte, error) {
	cosigned, err := note.Sign(&note.Note{Text: opened.Text, Sigs: opened.Sigs}, w.Key)
	if err != nil {
		return nil, fmt.Errorf("cosign a checkpoint: %w", err)
	}
	if err := w.State.Write(name, cosigned); err != nil {
		return nil, err
	}
	return lastLine(cosigned), nil
}

// about is the log attributes of a checkpoint. An origin reveals no practice.
func about(c proof.Checkpoint) []any {
	return []any{slog.String("origin", c.Origin.String()), slog.Int64("size", c.Size), slog.String("root", c.Root.String())}
}
