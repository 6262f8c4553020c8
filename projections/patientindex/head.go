package patientindex

import (
	"context"
	"fmt"

	"frontdesk/projections"
)

// Head reads the end of the log.
type Head struct{ DB projections.Querier }

// Of returns the idx of the newest event in the log; 0 without one.
func (h Head) Of(ctx context.Context) (idx int64, err error) {
	if err := h.DB.QueryRow(ctx, `SELECT head FROM sequencer`).Scan(&idx); err != nil {
		return 0, fmt.Errorf("read the head of the log: %w", err)
	}
	return idx, nil
}
