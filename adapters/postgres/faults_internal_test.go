package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Errors without a code of Postgres are also named, and no other error is a state.
func TestStatesWithoutACode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a limit that ran out":   {fmt.Errorf("read: %w", context.DeadlineExceeded), stateUnanswered},
		"a connection that ends": {fmt.Errorf("read: %w", io.ErrUnexpectedEOF), stateLost},
		"a closed connection":    {pgconn.ErrConnClosed, stateLost},
		"a caller who has gone":  {fmt.Errorf("read: %w", context.Canceled), ""},
		"a missing right":        {&pgconn.PgError{Code: "42501"}, ""},
		"no code":                {&pgconn.PgError{}, ""},
		"something else":         {errors.New("odd"), ""},
	} {
		if got := stateOf(c.err); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
