package accesslog

import (
	"context"

	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

// ReadCalls is the statement for a filter.
func ReadCalls(f CallFilter) string { return f.query() }

// CallArgs are the arguments of [ReadCalls].
func CallArgs(f CallFilter, limit int) []any { return f.args(limit) }

// SealActs encrypts the act claims of a batch, as the recorder does.
func (r *Recorder) SealActs(ctx context.Context, calls []access.Call) ([]*event.OnBehalfOf, [][]byte, error) {
	return r.sealActs(ctx, calls)
}

// Write writes a batch of calls.
func (r *Recorder) Write(ctx context.Context, calls []access.Call) error {
	return r.write(ctx, calls)
}
