package witness

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/domain/proof"
)

// keyFile holds the verifier key of the state's witness.
const keyFile = "witness"

// The errors of Begin.
var (
	errNotBegun = errors.New("this directory holds no state: mount the one that the witness had, or give --new if it has cosigned nothing yet")
	errBegun    = errors.New("this directory holds the state of a witness already: leave --new out")
)

// Begin makes sure that the state belongs to this witness. A witness without its state
// would cosign any history, so a new state needs isNew.
func Begin(state State, key proof.Cosigner, isNew bool) error {
	owner, err := state.Read(keyFile)
	switch {
	case err != nil:
		return err
	case owner == nil && isNew:
		return state.Write(keyFile, []byte(key.String()+"\n"))
	case owner == nil:
		return errNotBegun
	case isNew:
		return errBegun
	case string(owner) != key.String()+"\n":
		return fmt.Errorf("this directory holds the state of the witness %s, not of %s: a witness keeps its key", bytes.TrimSpace(owner), key)
	}
	return nil
}

// fileOf returns the file of a log's state; monitors request it by the same name.
func fileOf(o proof.Origin) string {
	sum := sha256.Sum256([]byte(o.String()))
	return hex.EncodeToString(sum[:])
}

// isFile matches such a name.
var isFile = regexp.MustCompile(`^[0-9a-f]{64}$`)

// lock waits for the turn of a log's requests, in all of its epochs.
func (w *Witness) lock(o proof.Origin) (unlock func()) {
	first, _ := strconv.ParseUint(fileOfLog(o)[:2], 16, 8)
	turn := &w.turns[first]
	turn.Lock()
	return turn.Unlock
}

// last returns the last cosigned checkpoint of the log of a file, and its note. If
// there is none, it returns the empty tree and no note.
func (w *Witness) last(name string) (last proof.Checkpoint, cosigned []byte, err error) {
	cosigned, err = w.State.Read(name)
	if err != nil {
		return last, nil, err
	}
	if cosigned == nil {
		return proof.Checkpoint{Root: proof.Edge{}.Root()}, nil, nil
	}
	opened, err := note.Open(cosigned, note.VerifierList(w.Key))
	if err != nil {
		return last, nil, errState
	}
	last, err = proof.ParseCheckpoint(opened.Text)
	if err != nil || fileOf(last.Origin) != name {
		return last, nil, errState
	}
	return last, cosigned, nil
}

// keepFork keeps the first checkpoint that contradicts the cosigned one: together they
// are the evidence.
func (w *Witness) keepFork(ctx context.Context, name string, other proof.Checkpoint, signed []byte) {
	kept, err := w.State.Read(name + ".fork")
	if err == nil && kept == nil {
		err = w.State.Write(name+".fork", signed)
	}
	at := append(attrsOf(other), slog.String("kept_in", name+".fork"))
	if err != nil {
		at = append(at, slog.Any("error", err))
	}
	w.Log.ErrorContext(ctx, "a log has two histories: its key has signed two roots for one size", at...)
}

// keysOf returns the keys of the log that a text claims to be of.
func (w *Witness) keysOf(text string) (known []note.Verifier) {
	for _, key := range w.Logs {
		if strings.HasPrefix(text, key.Name()+"/log/") {
			known = append(known, key)
		}
	}
	return known
}

// unverified reads a signed note without verifying its signatures.
func unverified(signed []byte) (*note.Note, error) {
	_, err := note.Open(signed, note.VerifierList())
	if read, ok := errors.AsType[*note.UnverifiedNoteError](err); ok {
		return read.Note, nil
	}
	return nil, err
}

// lastLine returns the last line of a note, which is the newest signature.
func lastLine(signed []byte) []byte { return signed[bytes.LastIndex(signed, []byte("\n—"))+1:] }
