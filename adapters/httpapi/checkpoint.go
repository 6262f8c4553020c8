package httpapi

import (
	"context"
	"errors"
	"net/http"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// Checkpoints reads the signed checkpoints of logs (D140).
type Checkpoints interface {
	// Newest returns the newest one of a log; [proof.ErrNoCheckpoint] if nothing is signed.
	Newest(ctx context.Context, of proof.Tree) (proof.Signed, error)
	// Growth returns a verified proof that the log of a checkpoint begins with its first
	// leaves.
	Growth(ctx context.Context, of proof.Tree, first int64, newest proof.Signed) (proof.Consistency, error)
}

// errNoCheckpoint is [proof.ErrNoCheckpoint], as callers read it.
var errNoCheckpoint = fault.New(fault.Missing, "no-checkpoint",
	"No checkpoint of this practice's log is signed yet. Try again later, or ask the operator.")

// checkpointBody is a signed checkpoint. It holds sizes and hashes, and no data.
type checkpointBody struct {
	Checkpoint  string   `json:"checkpoint"`
	Epoch       int      `json:"epoch"`
	Size        int64    `json:"size"`
	Consistency []string `json:"consistency,omitzero"` // nil if no proof was requested
}

// checkpoint is GET ?from= → {checkpoint, epoch, size, consistency}. It shows the log of
// the practice's events, and nothing of another one.
func (a *API) checkpoint(r *http.Request, caller judged, f *body.Form) (any, error) {
	of := proof.Tree{Tenant: caller.Tenant, Kind: proof.Events}
	newest, err := a.Checkpoints.Newest(r.Context(), of)
	switch {
	case errors.Is(err, errNoCheckpoint):
		return nil, errNoCheckpoint
	case err != nil:
		return nil, err
	}
	answer := checkpointBody{Checkpoint: newest.Note, Epoch: newest.Origin.Epoch, Size: newest.Size}
	first := f.Number("from", 0, int(newest.Size), -1)
	if err := f.Err(); err != nil || first < 0 {
		return answer, err
	}
	growth, err := a.Checkpoints.Growth(r.Context(), of, int64(first), newest)
	if err != nil {
		return nil, err
	}
	answer.Consistency = make([]string, 0, len(growth.Proof))
	for _, hash := range growth.Proof {
		answer.Consistency = append(answer.Consistency, hash.String())
	}
	return answer, nil
}
