package projectionstest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/projections"
)

// Explainer explains each query that it receives, with the actual counts.
type Explainer struct {
	projections.Querier
	T    testing.TB
	Most int // rows that any step of the last plan has looked at
}

// Query explains and makes a query.
func (e *Explainer) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	e.explain(ctx, sql, args)
	return e.Querier.Query(ctx, sql, args...)
}

// QueryRow explains and makes a query of one row.
func (e *Explainer) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	e.explain(ctx, sql, args)
	return e.Querier.QueryRow(ctx, sql, args...)
}

// step is a step of a plan.
type step struct {
	Plans   []step
	Rows    float64 `json:"Actual Rows"`
	Loops   float64 `json:"Actual Loops"`
	Removed float64 `json:"Rows Removed by Filter"`
}

func (s step) most() int {
	most := int((s.Rows + s.Removed) * s.Loops)
	for _, below := range s.Plans {
		most = max(most, below.most())
	}
	return most
}

func (e *Explainer) explain(ctx context.Context, sql string, args []any) {
	e.T.Helper()
	var text []byte
	Must(e.T, e.Querier.QueryRow(ctx, `EXPLAIN (ANALYZE, FORMAT JSON) `+sql, args...).Scan(&text))
	var plans []struct{ Plan step }
	Must(e.T, json.Unmarshal(text, &plans))
	e.Most = plans[0].Plan.most()
}
