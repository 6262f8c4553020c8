package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
)

// A SignedCheckpoint is the newest checkpoint of the practice's log, as the service gives it. A
// [LogVerifier] tells whether to trust it.
type SignedCheckpoint struct {
	Note        string   `json:"checkpoint"` // the signed text
	Epoch       int      `json:"epoch"`
	Size        int64    `json:"size"`                 // the number of events that it covers
	Consistency []string `json:"consistency,omitzero"` // of CheckpointSince: the proof, in base64
}

// Checkpoint returns the newest checkpoint of the practice's log. The practice must have enabled
// the application. The code is [CodeNoCheckpoint] if nothing is signed yet.
func (c *Client) Checkpoint(ctx context.Context, options ...CallOption) (signed SignedCheckpoint, err error) {
	err = c.get(ctx, "application/checkpoint", nil, &signed, options)
	return signed, err
}

// CheckpointSince also returns the proof that the log begins with its first size events. The code is
// [CodeInvalidQuery] if the newest checkpoint covers fewer.
func (c *Client) CheckpointSince(ctx context.Context, size int64, options ...CallOption) (signed SignedCheckpoint, err error) {
	query := url.Values{"from": {strconv.FormatInt(size, 10)}}
	err = c.get(ctx, "application/checkpoint", query, &signed, options)
	return signed, err
}

// A CheckpointStore keeps the last checkpoint of one practice's log: a [CheckpointFile], or a store
// of your own.
type CheckpointStore interface {
	Get(ctx context.Context) (note string, err error) // "" if nothing is kept
	Put(ctx context.Context, note string) error
}

// KeepCheckpoint fetches the newest checkpoint, verifies that the log begins with the one in the
// store, and only then replaces it. A [CheckpointError] means that it does not, or that the
// checkpoint is not of this log: the store then holds the evidence.
func (c *Client) KeepCheckpoint(ctx context.Context, log *LogVerifier, store CheckpointStore, options ...CallOption) (newest Checkpoint, err error) {
	kept, err := store.Get(ctx)
	if err != nil {
		return newest, fmt.Errorf("read the kept checkpoint: %w", err)
	}
	signed, err := c.checkpointAfter(ctx, log, kept, options)
	if err != nil {
		return newest, err
	}
	if newest, err = log.Check(kept, signed.Note, signed.Consistency); err != nil {
		return newest, err
	}
	if err := store.Put(ctx, signed.Note); err != nil {
		return newest, fmt.Errorf("keep the checkpoint: %w", err)
	}
	return newest, nil
}

// checkpointAfter fetches the newest checkpoint and the proof for a kept one. A log that is shorter
// than that has no proof, and the checkpoint shows it.
func (c *Client) checkpointAfter(ctx context.Context, log *LogVerifier, kept string, options []CallOption) (SignedCheckpoint, error) {
	if kept == "" {
		return c.Checkpoint(ctx, options...)
	}
	old, err := log.Open(kept)
	if err != nil {
		return SignedCheckpoint{}, err
	}
	signed, err := c.CheckpointSince(ctx, old.Size, options...)
	var refusal *ServiceError
	if errors.As(err, &refusal) && refusal.Code() == CodeInvalidQuery {
		return c.Checkpoint(ctx, options...)
	}
	return signed, err
}

// CheckpointFile is the path of a file that keeps a checkpoint. It is replaced as a whole.
type CheckpointFile string

// Get returns the checkpoint in the file; "" without a file.
func (f CheckpointFile) Get(context.Context) (string, error) {
	text, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// Put replaces the file.
func (f CheckpointFile) Put(_ context.Context, note string) error {
	file, err := os.CreateTemp(filepath.Dir(string(f)), filepath.Base(string(f))+".*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // it is renamed, or useless
	_, err = file.WriteString(note)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), string(f))
}
