package conformance

import (
	"context"
	"fmt"
)

// Result is the outcome of one check.
type Result struct {
	Name   string `json:"name"`
	Clause string `json:"clause"` // of the specification, or a decision (D…)
	Wants  string `json:"wants"`  // behaviour of a right program
	Passed bool   `json:"passed"`
	Why    string `json:"why,omitempty"` // why it was not passed
}

// check is a row of a table of checks. try returns why it was not passed; "" if it was.
type check[On any] struct {
	name, clause, wants string
	try                 func(context.Context, On) string
}

// each makes the checks in their order, reports each result, and returns how many were
// not passed. It stops when ctx ends.
func each[On any](ctx context.Context, on On, checks []check[On], report func(Result)) (failed int, err error) {
	for _, c := range checks {
		why := c.try(ctx, on)
		if ctx.Err() != nil {
			return failed, fmt.Errorf("stopped during the check %q: %w", c.name, context.Cause(ctx))
		}
		if why != "" {
			failed++
		}
		report(Result{c.name, c.clause, c.wants, why == "", why})
	}
	return failed, nil
}

// first returns the first reason, if any.
func first(reasons ...string) string {
	for _, why := range reasons {
		if why != "" {
			return why
		}
	}
	return ""
}
